//.kernel add_kernel
//.platform XE3
//.thread_config numGRF=96, numAcc=4, numSWSB=32
//.options_string "-emitCrossThreadOffR0Reloc -hashmovs 522417927 2808570959 -hashmovs1 0 1 "
//.full_options "-emitLocation -autoGRFSelection -wideMulMadOpsEn -enableCoalesceScalarMoves -suppor"
//.instCount 294
//.RA type	HYBRID_RA
//.git-hash 
//.spill flag store 5
//.declare BuiltInR0 (0)  rf=r size=64 type=ud align=32 words (r0.0) IsBuiltin
//.declare P01 (88)  rf=f32  size=4 type=uw align=2 words (spilled -> )
// .inputs
// +----------+----------+--------+----------+------------------+
// | id       | type     |  bytes | at       | from             |
// B000: Preds:{},  Succs:{B001}
per_thread_prolog:
(W)     mov (16|M0)              r95.0<1>:ud   0x0:ud                                                //  ALU pipe: int; 
(W)     and (1|M0)               r95.2<1>:ud   r0.0<0;1,0>:ud    0xFFFFFFC0:ud                       //  ALU pipe: int; 
(W)     and (1|M0)               r95.0<1>:uw   r0.4<0;1,0>:uw    0xFF:uw                             //  ALU pipe: int; 
(W)     add (1|M0)               r95.2<1>:ud   r95.2<0;1,0>:ud   0x0:ud              {I@2}           //  ALU pipe: int; 
(W)     add (1|M0)               r95.2<1>:ud   r95.2<0;1,0>:ud   0x0:ud              {I@1}           //  R_SYM_ADDR_32: __INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0; ALU pipe: int; 
(W)     mad (1|M0)               r95.0<1>:ud   r95.2<0;0>:ud     r95.0<0;0>:uw     0x40:uw              {I@1} //  ALU pipe: int; 
(W)     mov (8|M0)               r2.0<1>:ud    r1.0<1;1,0>:ud                                        //  ALU pipe: int; 
// File: /src/kernels.py
// Line 18:  tl.store(o_ptr+offs, x+y, mask=m)
// cross_thread_prolog:
(W)     add (1|M0)               r95.0<1>:ud   r95.0<0;1,0>:ud   0x0:ud              {I@1}           //  R_SYM_ADDR_32: __INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0; ALU pipe: int; 
(W)     mov (16|M0)              r90.0<1>:ud   r0.0<1;1,0>:ud                   {Compacted}          //  ALU pipe: int; $1
(W)     shl (1|M0)               r2.7<1>:d     r90.1<0;1,0>:d    10:w               {A@1}            //  ALU pipe: int; $4
        or (32|M0)               r24.0<1>:d    r2.7<0;1,0>:d     r3.0<1;1,0>:uw   {I@1}              //  ALU pipe: int; $7
        or (32|M0)               r26.0<1>:d    r24.0<1;1,0>:d    128:w               {Compacted}     //  ALU pipe: int; $8
        or (32|M0)               r20.0<1>:d    r24.0<1;1,0>:d    384:w               {Compacted}     //  ALU pipe: int; $10
(W)     mov (1|M0)               r2.9<1>:ud    f3.0<0;1,0>:ud                                        //  ALU pipe: int; $31
        or (32|M0)               r58.0<1>:d    r24.0<1;1,0>:d    768:w               {Compacted}     //  ALU pipe: int; $13
        mov (16|M0)              r4.0<2>:ud    r26.0<1;1,0>:ud                  {Compacted,I@7}      //  ALU pipe: int; $17
        mov (16|M0)              r8.0<2>:ud    r22.0<1;1,0>:ud                  {Compacted,I@7}      //  ALU pipe: int; $19
        mov (16|M0)              r12.0<2>:ud   r20.0<1;1,0>:ud                  {Compacted,I@7}      //  ALU pipe: int; $21
        mov (16|M0)              r16.0<2>:ud   r18.0<1;1,0>:ud                  {Compacted,I@7}      //  ALU pipe: int; $23
        shl (16|M0)              r54.0<1>:q    r4.0<2;1,0>:d     2:w               {I@7}             //  ALU pipe: int; $17
        shl (16|M0)              r50.0<1>:q    r8.0<2;1,0>:d     2:w               {I@7}             //  ALU pipe: int; $19
        shl (16|M0)              r46.0<1>:q    r12.0<2;1,0>:d    2:w               {I@7}             //  ALU pipe: int; $21
        shl (16|M0)              r42.0<1>:q    r16.0<2;1,0>:d    2:w               {I@7}             //  ALU pipe: int; $23
        mov (16|M0)              r6.0<2>:ud    r56.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $25
        mov (16|M0)              r10.0<2>:ud   r58.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $27
        mov (16|M0)              r14.0<2>:ud   r60.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $29
        shl (16|M16)             r40.0<1>:q    r4.0<2;1,0>:d     2:w               {I@7}             //  ALU pipe: int; $23
        shl (16|M16)             r36.0<1>:q    r8.0<2;1,0>:d     2:w               {I@7}             //  ALU pipe: int; $25
        shl (16|M16)             r32.0<1>:q    r12.0<2;1,0>:d    2:w               {I@7}             //  ALU pipe: int; $27
        shl (16|M16)             r28.0<1>:q    r16.0<2;1,0>:d    2:w               {I@7}             //  ALU pipe: int; $29
_0_074:
        mov (16|M16)             r8.0<2>:ud    r25.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $36
        shl (16|M16)             r10.0<1>:q    r8.0<2;1,0>:d     2:w               {I@2}             //  ALU pipe: int; $36
        add (16|M16)             r14.0<1>:q    r10.0<1;1,0>:q    r2.0<0;1,0>:q    {Compacted,I@2}    //  ALU pipe: int; $37
        mov (32|M0)              r94.0<1>:ud   r16.0<1;1,0>:ud                  {Compacted,$1.dst}   //  ALU pipe: int; $39
_0_073:
L800:
_0_075:
L824:
(W)     mov (1|M0)               r2.7<1>:ud    f1.0<0;1,0>:ud                                        //  ALU pipe: int; $45
(~f0.0) goto (32|M0)                         _0_076            _0_076                                // $47
        add (16|M0)              r3.0<1>:q     r54.0<1;1,0>:q    r2.0<0;1,0>:q    {Compacted}        //  ALU pipe: int; $49
        send.ugm (32|M0)         r8       r3  null:0  0x0            0x08200580           {I@1,$2} // wr:4+0, rd:2; load.ugm.d32.a64 // $50
        goto (32|M0)                         _0_076            _0_078                                // $52
        join (32|M0)                         _0_078                                                  // 
        mov (32|M0)              r92.0<1>:ud   0x0:ud                              {Compacted}       //  ALU pipe: int; $54
        join (32|M0)                         L984                                                    // 
        cmp (32|M0)   (lt)f3.0   null<1>:d     r22.0<1;1,0>:d    r2.6<0;1,0>:d                       //  ALU pipe: int; $57
