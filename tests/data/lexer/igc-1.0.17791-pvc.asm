//.kernel add_kernel
//.platform PVCXT
//.thread_config numGRF=128, numAcc=4, numSWSB=16
//.options_string "-emitCrossThreadOffR0Reloc "
//.full_options "-emitLocation -enableCoalesceScalarMoves -hasRNEandDenorm -noStitchExternFunc -emit"
//.instCount 313
//.RA type	LOCAL_FIRST_FIT_RA
//.git-hash 
//.spill flag store 5
//.declare BuiltInR0 (0)  rf=r size=64 type=ud align=32 words (r0.0) IsBuiltin
//.declare P01 (83)  rf=f32  size=4 type=uw align=2 words (spilled -> )
// .inputs
// +----------+----------+--------+----------+------------------+
// | id       | type     |  bytes | at       | from             |
// B000: Preds:{},  Succs:{B001}
per_thread_prolog:
(W)     mov (16|M0)              r127.0<1>:ud  0x0:ud                                                //  ALU pipe: int; 
(W)     and (1|M0)               r127.2<1>:ud  r0.0<0;1,0>:ud    0xFFFFFFC0:ud                       //  ALU pipe: int; 
(W)     and (1|M0)               r127.0<1>:uw  r0.4<0;1,0>:uw    0xFF:uw                             //  ALU pipe: int; 
(W)     add (1|M0)               r127.2<1>:ud  r127.2<0;1,0>:ud  0x40:ud              {I@2}          //  ALU pipe: int; 
(W)     add (1|M0)               r127.2<1>:ud  r127.2<0;1,0>:ud  0x0:ud              {I@1}           //  R_SYM_ADDR_32: __INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0; ALU pipe: int; 
(W)     mad (1|M0)               r127.0<1>:ud  r127.2<0;0>:ud    r127.0<0;0>:uw    0xC0:uw              {I@1} //  ALU pipe: int; 
// File: /src/kernels.py
// Line 18:  tl.store(o_ptr+offs, x+y, mask=m)
(W)     load.ugm.d32x32t.a32.ca.ca (1|M0)  r1:2 bti[255][r127:1]   {A@1,$0} // ex_desc:0xFF000000; desc:0x6228E500 // 
(W)     load.ugm.d32x16t.a32.ca.ca (1|M0)  r3:1 bti[255][r126:1]   {A@1,$1} // ex_desc:0xFF000000; desc:0x6218D500 // 
        nop                                                                                          // 
// cross_thread_prolog:
(W)     add (1|M0)               r127.0<1>:ud  r127.0<0;1,0>:ud  0x0:ud              {I@1}           //  R_SYM_ADDR_32: __INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0; ALU pipe: int; 
// _main:
(W)     shl (1|M0)               r2.0<1>:d     r0.1<0;1,0>:d     10:w               {Compacted,A@1,$0.dst} //  ALU pipe: int; $4
        or (32|M0)               r18.0<1>:d    r2.0<0;1,0>:d     r3.0<1;1,0>:uw   {I@1}              //  ALU pipe: int; $7
        cmp (32|M0)   (lt)f3.0   null<1>:d     r18.0<1;1,0>:d    r4.14<0;1,0>:d   {$2.dst}           //  ALU pipe: int; $31
        or (32|M0)               r22.0<1>:d    r18.0<1;1,0>:d    256:w               {Compacted}     //  ALU pipe: int; $9
        or (32|M0)               r26.0<1>:d    r18.0<1;1,0>:d    512:w               {Compacted}     //  ALU pipe: int; $11
        or (32|M0)               r28.0<1>:d    r18.0<1;1,0>:d    640:w               {Compacted}     //  ALU pipe: int; $12
        or (32|M0)               r32.0<1>:d    r18.0<1;1,0>:d    896:w               {Compacted}     //  ALU pipe: int; $14
        mov (16|M16)             r8.0<2>:ud    r21.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $17
        mov (16|M16)             r2.0<2>:ud    r23.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $19
        mov (16|M16)             r14.0<2>:ud   r25.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $21
(W)     mov (1|M0)               f2.0<1>:ud    r4.3<0;1,0>:ud                   {Compacted,I@7}      //  ALU pipe: int; $33
        shl (16|M16)             r68.0<1>:q    r8.0<2;1,0>:d     2:w               {Compacted,I@7}   //  ALU pipe: int; $17
        shl (16|M16)             r72.0<1>:q    r2.0<2;1,0>:d     2:w               {Compacted,I@7}   //  ALU pipe: int; $19
        shl (16|M16)             r76.0<1>:q    r14.0<2;1,0>:d    2:w               {Compacted,I@7}   //  ALU pipe: int; $21
        mov (16|M16)             r6.0<2>:ud    r27.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $23
        mov (16|M16)             r10.0<2>:ud   r29.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $25
        mov (16|M16)             r12.0<2>:ud   r31.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $27
        mov (16|M16)             r16.0<2>:ud   r33.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $29
        shl (16|M0)              r82.0<1>:q    r8.0<2;1,0>:d     2:w               {Compacted,I@7}   //  ALU pipe: int; $25
        shl (16|M0)              r86.0<1>:q    r2.0<2;1,0>:d     2:w               {Compacted,I@7}   //  ALU pipe: int; $27
        shl (16|M0)              r90.0<1>:q    r14.0<2;1,0>:d    2:w               {Compacted,I@7}   //  ALU pipe: int; $29
(~f2.0) goto (32|M0)                         _0_073            _0_073                                //  ALU pipe: int; $33
        mov (16|M0)              r2.0<2>:ud    r18.0<1;1,0>:ud                  {Compacted}          //  ALU pipe: int; $36
        shl (16|M0)              r5.0<1>:q     r2.0<2;1,0>:d     2:w               {Compacted,I@2}   //  ALU pipe: int; $36
        add (16|M0)              r12.0<1>:q    r5.0<1;1,0>:q     r4.4<0;1,0>:q    {Compacted,I@2}    //  ALU pipe: int; $37
        load.ugm.d32.a64 (32|M0)  r34:2         [r12:4]            {A@1,$3} // ex_desc:0x0; desc:0x8200580 // $38
_0_073:
L728:
_0_075:
L752:
(W)     mov (1|M0)               r4.2<1>:ud    f1.0<0;1,0>:ud                                        //  ALU pipe: int; $44
(~f0.0) goto (32|M0)                         _0_076            _0_076                                //  ALU pipe: int; $46
        add (16|M0)              r5.0<1>:q     r66.0<1;1,0>:q    r4.4<0;1,0>:q    {Compacted}        //  ALU pipe: int; $48
        load.ugm.d32.a64 (32|M0)  r36:2         [r5:4]             {A@1,$4} // ex_desc:0x0; desc:0x8200580 // $49
_0_076:
L872:
_0_078:
