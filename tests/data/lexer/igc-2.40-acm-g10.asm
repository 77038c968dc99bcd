//.kernel add_kernel
//.platform DG2
//.thread_config numGRF=128, numAcc=4, numSWSB=16
//.options_string "-emitCrossThreadOffR0Reloc -hashmovs 522417927 2808570959 -hashmovs1 0 1 "
//.full_options "-emitLocation -wideMulMadOpsEn -enableCoalesceScalarMoves -supportLSCImmScale 0 -en"
//.instCount 419
//.RA type	HYBRID_RA
//.git-hash 
//.spill flag store 14
//.declare BuiltInR0 (0)  rf=r size=32 type=ud align=16 words (r0.0) IsBuiltin
//.declare P01 (97)  rf=f32  size=4 type=uw align=2 words (spilled -> )
// .inputs
// +----------+----------+--------+----------+------------------+
// | id       | type     |  bytes | at       | from             |
// B000: Preds:{},  Succs:{B001}
per_thread_prolog:
(W)     mov (8|M0)               r127.0<1>:ud  0x0:ud                                                //  ALU pipe: int; 
(W)     and (1|M0)               r127.2<1>:ud  r0.0<0;1,0>:ud    0xFFFFFFC0:ud                       //  ALU pipe: int; 
(W)     and (1|M0)               r127.0<1>:uw  r0.4<0;1,0>:uw    0xFF:uw                             //  ALU pipe: int; 
(W)     add (1|M0)               r127.2<1>:ud  r127.2<0;1,0>:ud  0x20:ud              {I@2}          //  ALU pipe: int; 
(W)     add (1|M0)               r127.2<1>:ud  r127.2<0;1,0>:ud  0x0:ud              {I@1}           //  R_SYM_ADDR_32: __INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0; ALU pipe: int; 
(W)     mad (1|M0)               r127.2<1>:ud  r127.2<0;0>:ud    r127.0<0;0>:uw    0xC0:uw              {I@1} //  ALU pipe: int; 
(W)     mov (8|M0)               r7.0<1>:ud    r1.0<1;1,0>:ud                                        //  ALU pipe: int; 
// File: /src/kernels.py
// Line 18:  tl.store(o_ptr+offs, x+y, mask=m)
(W)     add (1|M0)               r127.2<1>:ud  r127.2<0;1,0>:ud  0x80:uw              {$0.src}       //  ALU pipe: int; 
        nop                                                                                          // 
// cross_thread_prolog:
(W)     and (1|M0)               r127.2<1>:ud  r0.0<0;1,0>:ud    0xFFFFFFC0:ud                       //  ALU pipe: int; 
(W)     send.dc0 (8|M0)          r8       r127    null:0  0x0            0x021842FD           {A@1,$2} // wr:1h+0, rd:1; oword aligned block read x2 // 
(W)     mov (8|M0)               r9.0<1>:ud    r0.0<1;1,0>:ud                                        //  ALU pipe: int; $1
        sync.nop                             null                             {Compacted,A@1}        // $4
(W)     shl (1|M0)               r3.0<1>:d     r9.1<0;1,0>:d     10:w               {Compacted,A@1}  //  ALU pipe: int; $4
        or (16|M0)               r44.0<1>:d    r3.0<0;1,0>:d     r4.0<1;1,0>:uw   {I@1}              //  ALU pipe: int; $9
        and (16|M16)             r5.0<1>:w     r2.0<1;1,0>:w     127:w               {$1.dst}        //  ALU pipe: int; $6
(W)     mov (1|M0)               r108.3<1>:ud  f1.0<0;1,0>:ud                   {Compacted}          //  ALU pipe: int; $41
(W)     mov (1|M0)               f0.0<1>:ud    r108.3<0;1,0>:ud                 {I@2}                //  ALU pipe: int; $42
        or (16|M0)               r62.0<1>:d    r44.0<1;1,0>:d    256:w               {Compacted}     //  ALU pipe: int; $13
        or (16|M0)               r58.0<1>:d    r44.0<1;1,0>:d    384:w               {Compacted}     //  ALU pipe: int; $15
        or (16|M0)               r54.0<1>:d    r44.0<1;1,0>:d    512:w               {Compacted}     //  ALU pipe: int; $17
        or (16|M0)               r46.0<1>:d    r44.0<1;1,0>:d    768:w               {Compacted}     //  ALU pipe: int; $21
        or (16|M16)              r64.0<1>:d    r42.0<1;1,0>:d    128:w               {Compacted}     //  ALU pipe: int; $12
        or (16|M16)              r56.0<1>:d    r42.0<1;1,0>:d    384:w               {Compacted}     //  ALU pipe: int; $16
        or (16|M16)              r48.0<1>:d    r42.0<1;1,0>:d    640:w               {Compacted}     //  ALU pipe: int; $20
        or (16|M16)              r70.0<1>:d    r42.0<1;1,0>:d    896:w               {Compacted}     //  ALU pipe: int; $24
        shl (16|M0)              r36.0<1>:d    r62.0<1;1,0>:d    2:w               {Compacted}       //  ALU pipe: int; $28
        shl (16|M0)              r28.0<1>:d    r54.0<1;1,0>:d    2:w               {Compacted}       //  ALU pipe: int; $32
        shl (16|M0)              r20.0<1>:d    r46.0<1;1,0>:d    2:w               {Compacted}       //  ALU pipe: int; $36
        shl (16|M16)             r38.0<1>:d    r64.0<1;1,0>:d    2:w               {Compacted}       //  ALU pipe: int; $27
        shl (16|M16)             r30.0<1>:d    r56.0<1;1,0>:d    2:w               {Compacted}       //  ALU pipe: int; $31
        shl (16|M16)             r22.0<1>:d    r48.0<1;1,0>:d    2:w               {Compacted}       //  ALU pipe: int; $35
        shl (16|M16)             r14.0<1>:d    r70.0<1;1,0>:d    2:w               {Compacted}       //  ALU pipe: int; $39
_0_074:
        shl (16|M16)             r4.0<1>:d     r42.0<1;1,0>:d    2:w               {Compacted}       //  ALU pipe: int; $47
(W)     mov (1|M0)               a0.0<1>:ud    r8.2<0;1,0>:d                    {A@1}                //  ALU pipe: int; $50
        add (16|M16)             r4.0<1>:d     r4.0<1;1,0>:d     r7.7<0;1,0>:d    {Compacted,I@3}    //  ALU pipe: int; $49
        load.ugm.d32.a32.ca.ca (16|M16)  r12:2  bss[a0.0][r4:2]    {ExBSO,A@1,$4} // ex_desc:a0.0; desc:0x24280500 // $51
        mov (16|M16)             r104.0<1>:f   r12.0<1;1,0>:f                   {Compacted,$4.dst}   //  ALU pipe: float; $53
_0_073:
L832:
        mov (16|M16)             r104.0<1>:f   0x0:f                               {Compacted}       //  ALU pipe: float; $57
        join (32|M0)                         L872                                                    // 
        cmp (16|M0)   (lt)f0.0   null<1>:d     r66.0<1;1,0>:d    r7.6<0;1,0>:d                       //  ALU pipe: int; $60
(W)     mov (1|M0)               f1.0<1>:ud    r108.1<0;1,0>:ud                 {I@1}                //  ALU pipe: int; $61
(W)     mov (1|M0)               r108.1<1>:ud  f1.0<0;1,0>:ud                   {Compacted}          //  ALU pipe: int; $61
(~f0.0) goto (32|M0)                         _0_076            _0_076                                //  ALU pipe: int; $63
        sync.nop                             null                             {Compacted,$2.dst}     // $67
