//.kernel add_kernel
//.platform PVCXT
//.thread_config numGRF=128, numAcc=4, numSWSB=16
//.options_string "-emitCrossThreadOffR0Reloc -hashmovs 522417927 2808570959 -hashmovs1 0 1 "
//.full_options "-emitLocation -wideMulMadOpsEn -enableCoalesceScalarMoves -supportLSCImmScale 0 -ha"
//.instCount 333
//.RA type	LOCAL_FIRST_FIT_RA
//.git-hash 
//.spill flag store 5
//.declare BuiltInR0 (0)  rf=r size=64 type=ud align=32 words (r0.0) IsBuiltin
//.declare P01 (84)  rf=f32  size=4 type=uw align=2 words (spilled -> )
// .inputs
// +----------+----------+--------+----------+------------------+
// | id       | type     |  bytes | at       | from             |
// B000: Preds:{},  Succs:{B001}
per_thread_prolog:
(W)     mov (16|M0)              r127.0<1>:ud  0x0:ud                                                //  ALU pipe: int; 
(W)     and (1|M0)               r127.2<1>:ud  r0.0<0;1,0>:ud    0xFFFFFFC0:ud                       //  ALU pipe: int; 
(W)     and (1|M0)               r127.0<1>:uw  r0.4<0;1,0>:uw    0xFF:uw                             //  ALU pipe: int; 
(W)     add (1|M0)               r127.2<1>:ud  r127.2<0;1,0>:ud  0x20:ud              {I@2}          //  ALU pipe: int; 
(W)     add (1|M0)               r127.2<1>:ud  r127.2<0;1,0>:ud  0x0:ud              {I@1}           //  R_SYM_ADDR_32: __INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0; ALU pipe: int; 
(W)     mad (1|M0)               r127.0<1>:ud  r127.2<0;0>:ud    r127.0<0;0>:uw    0xC0:uw              {I@1} //  ALU pipe: int; 
// File: /src/kernels.py
// Line 18:  tl.store(o_ptr+offs, x+y, mask=m)
(W)     load.ugm.d32x32t.a32.ca.ca (1|M0)  r1:2 bti[255][r127:1]   {A@1,$0} // ex_desc:0xFF000000; desc:0x6228E500 // 
(W)     load.ugm.d32x16t.a32.ca.ca (1|M0)  r3:1 bti[255][r126:1]   {A@1,$1} // ex_desc:0xFF000000; desc:0x6218D500 // 
(W)     mov (1|M0)               null<1>:ud    r127.0<0;1,0>:ud                                      // 
        sync.nop                             null                             {I@1}                  // 
        nop                                                                                          // 
// cross_thread_prolog:
(W)     add (1|M0)               r127.0<1>:ud  r127.0<0;1,0>:ud  0x0:ud              {I@1}           //  R_SYM_ADDR_32: __INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0; ALU pipe: int; 
(W)     mov (1|M0)               null<1>:ud    0x30433:ud                              {$2.src}      // 
        sync.nop                             null                             {Compacted,I@1}        // 
(W)     or (1|M0)                cr0.0<1>:ud   cr0.0<0;1,0>:ud   0x4C0:uw              {Compacted,A@1} // $1
        and (32|M0)              r3.0<1>:w     r1.0<1;1,0>:w     127:w               {$1.dst}        //  ALU pipe: int; $5
        sync.nop                             null                             {Compacted,I@1}        // $31
        or (32|M0)               r20.0<1>:d    r18.0<1;1,0>:d    128:w               {Compacted}     //  ALU pipe: int; $8
        or (32|M0)               r24.0<1>:d    r18.0<1;1,0>:d    384:w               {Compacted}     //  ALU pipe: int; $10
(W)     mov (1|M0)               r4.10<1>:ud   f3.0<0;1,0>:ud                                        //  ALU pipe: int; $31
        or (32|M0)               r30.0<1>:d    r18.0<1;1,0>:d    768:w               {Compacted}     //  ALU pipe: int; $13
        mov (16|M0)              r6.0<2>:ud    r20.0<1;1,0>:ud                  {Compacted,I@7}      //  ALU pipe: int; $17
        mov (16|M0)              r10.0<2>:ud   r22.0<1;1,0>:ud                  {Compacted,I@7}      //  ALU pipe: int; $19
        mov (16|M0)              r12.0<2>:ud   r24.0<1;1,0>:ud                  {Compacted,I@7}      //  ALU pipe: int; $21
        mov (16|M0)              r16.0<2>:ud   r26.0<1;1,0>:ud                  {Compacted,I@7}      //  ALU pipe: int; $23
        shl (16|M0)              r66.0<1>:q    r6.0<2;1,0>:d     2:w               {Compacted,I@7}   //  ALU pipe: int; $17
        shl (16|M0)              r70.0<1>:q    r10.0<2;1,0>:d    2:w               {Compacted,I@7}   //  ALU pipe: int; $19
        shl (16|M0)              r74.0<1>:q    r12.0<2;1,0>:d    2:w               {Compacted,I@7}   //  ALU pipe: int; $21
        shl (16|M0)              r78.0<1>:q    r16.0<2;1,0>:d    2:w               {Compacted,I@7}   //  ALU pipe: int; $23
        mov (16|M0)              r8.0<2>:ud    r28.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $25
        mov (16|M0)              r2.0<2>:ud    r30.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $27
        mov (16|M0)              r14.0<2>:ud   r32.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $29
        shl (16|M16)             r80.0<1>:q    r6.0<2;1,0>:d     2:w               {Compacted,I@7}   //  ALU pipe: int; $23
        shl (16|M16)             r84.0<1>:q    r10.0<2;1,0>:d    2:w               {Compacted,I@7}   //  ALU pipe: int; $25
        shl (16|M16)             r88.0<1>:q    r12.0<2;1,0>:d    2:w               {Compacted,I@7}   //  ALU pipe: int; $27
        shl (16|M16)             r92.0<1>:q    r16.0<2;1,0>:d    2:w               {Compacted,I@7}   //  ALU pipe: int; $29
_0_074:
        mov (16|M16)             r8.0<2>:ud    r19.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $36
        shl (16|M16)             r10.0<1>:q    r8.0<2;1,0>:d     2:w               {Compacted,I@2}   //  ALU pipe: int; $36
        add (16|M16)             r14.0<1>:q    r10.0<1;1,0>:q    r4.0<0;1,0>:q    {Compacted,I@2}    //  ALU pipe: int; $37
        mov (32|M0)              r34.0<1>:ud   r16.0<1;1,0>:ud                  {Compacted,$3.dst}   //  ALU pipe: int; $39
_0_073:
L832:
_0_075:
L856:
(W)     mov (1|M0)               r4.9<1>:ud    f1.0<0;1,0>:ud                                        //  ALU pipe: int; $45
(~f0.0) goto (32|M0)                         _0_076            _0_076                                //  ALU pipe: int; $47
        add (16|M0)              r5.0<1>:q     r66.0<1;1,0>:q    r4.0<0;1,0>:q    {Compacted}        //  ALU pipe: int; $49
