//.kernel add_kernel
//.platform PVCXT
//.thread_config numGRF=128, numAcc=4, numSWSB=16
//.options_string ""
//.full_options "-emitLocation -forceAssignRhysicalReg "" -hasRNEandDenorm -noStitchExternFunc -cros"
//.instCount 307
//.RA type	LOCAL_FIRST_FIT_RA
//.spill flag store 1
//.declare BuiltInR0 (0)  rf=r size=64 type=ud align=32 words (r0.0)
//.declare P01 (82)  rf=f32  size=4 type=uw align=2 words (spilled -> )
// .inputs
// +----------+----------+--------+----------+------------+
// | id       | type     |  bytes | at       | class      |
// B000: Preds:{},  Succs:{B001}
per_thread_prolog:
(W)     mov (16|M0)              r127.0<1>:ud  0x0:ud                                                // $4
(W)     and (1|M0)               r127.2<1>:ud  r0.0<0;1,0>:ud    0xFFFFFFC0:ud                       // $4
(W)     and (1|M0)               r127.0<1>:uw  r0.4<0;1,0>:uw    0xFF:uw                             // $4
(W)     add (1|M0)               r127.2<1>:ud  r127.2<0;1,0>:ud  0x40:uw              {I@2}          // $4
(W)     mad (1|M0)               r127.0<1>:ud  r127.2<0;0>:ud    r127.0<0;0>:uw    0xC0:uw              {I@1} // $4
// File: /src/kernels.py
// Line 18:  tl.store(o_ptr+offs, x+y, mask=m)
        load.ugm.d32x32t.a32.ca.ca (1|M0)  r1:2 bti[255][r127:1]   {A@1,$0} // ex_desc:0xFF000000; desc:0x6228E500 // $239
(W)     add (1|M0)               r127.0<1>:ud  r127.0<0;1,0>:ud  0x80:uw              {$0.src}       // $4
        load.ugm.d32x16t.a32.ca.ca (1|M0)  r3:1 bti[255][r127:1]   {A@1,$1} // ex_desc:0xFF000000; desc:0x6218D500 // $239
(W)     and (1|M0)               r127.0<1>:ud  r0.0<0;1,0>:ud    0xFFFFFFC0:ud              {$1.src} // $4
// _main:
(W)     shl (1|M0)               r2.0<1>:d     r0.1<0;1,0>:d     10:w               {Compacted,A@1,$0.dst} // $6
        or (32|M0)               r18.0<1>:d    r2.0<0;1,0>:d     r3.0<1;1,0>:uw   {I@1}              // $9
        cmp (32|M0)   (lt)f3.0   null<1>:d     r18.0<1;1,0>:d    r4.14<0;1,0>:d   {$2.dst}           // $33
        or (32|M0)               r22.0<1>:d    r18.0<1;1,0>:d    256:w               {Compacted}     // $11
        or (32|M0)               r26.0<1>:d    r18.0<1;1,0>:d    512:w               {Compacted}     // $13
        or (32|M0)               r28.0<1>:d    r18.0<1;1,0>:d    640:w               {Compacted}     // $14
        or (32|M0)               r32.0<1>:d    r18.0<1;1,0>:d    896:w               {Compacted}     // $16
        mov (16|M16)             r8.0<2>:ud    r21.0<1;1,0>:ud                  {Compacted}          // $19
        mov (16|M16)             r2.0<2>:ud    r23.0<1;1,0>:ud                  {Compacted}          // $21
        mov (16|M16)             r14.0<2>:ud   r25.0<1;1,0>:ud                  {Compacted}          // $23
(W)     mov (1|M0)               f2.0<1>:ud    r4.3<0;1,0>:ud                   {Compacted,I@7}      // $35
        shl (16|M16)             r68.0<1>:q    r8.0<2;1,0>:d     2:w               {Compacted,I@7}   // $19
        shl (16|M16)             r72.0<1>:q    r2.0<2;1,0>:d     2:w               {Compacted,I@7}   // $21
        shl (16|M16)             r76.0<1>:q    r14.0<2;1,0>:d    2:w               {Compacted,I@7}   // $23
        mov (16|M16)             r6.0<2>:ud    r27.0<1;1,0>:ud                  {Compacted}          // $25
        mov (16|M16)             r10.0<2>:ud   r29.0<1;1,0>:ud                  {Compacted}          // $27
        mov (16|M16)             r12.0<2>:ud   r31.0<1;1,0>:ud                  {Compacted}          // $29
        mov (16|M16)             r16.0<2>:ud   r33.0<1;1,0>:ud                  {Compacted}          // $31
        shl (16|M0)              r82.0<1>:q    r8.0<2;1,0>:d     2:w               {Compacted,I@7}   // $27
        shl (16|M0)              r86.0<1>:q    r2.0<2;1,0>:d     2:w               {Compacted,I@7}   // $29
        shl (16|M0)              r90.0<1>:q    r14.0<2;1,0>:d    2:w               {Compacted,I@7}   // $31
(~f2.0) goto (32|M0)                         _0_073            _0_073                                // $35
        mov (16|M0)              r2.0<2>:ud    r18.0<1;1,0>:ud                  {Compacted}          // $38
        shl (16|M0)              r5.0<1>:q     r2.0<2;1,0>:d     2:w               {Compacted,I@2}   // $38
        add (16|M0)              r12.0<1>:q    r5.0<1;1,0>:q     r4.4<0;1,0>:q    {Compacted,I@2}    // $39
        load.ugm.d32.a64 (32|M0)  r34:2         [r12:4]            {A@1,$3} // ex_desc:0x0; desc:0x8200580 // $40
_0_073:
L648:
_0_075:
L672:
(W)     mov (1|M0)               r4.2<1>:ud    f1.0<0;1,0>:ud                                        // $46
(~f0.0) goto (32|M0)                         _0_076            _0_076                                // $48
        add (16|M0)              r5.0<1>:q     r66.0<1;1,0>:q    r4.4<0;1,0>:q    {Compacted}        // $50
        load.ugm.d32.a64 (32|M0)  r36:2         [r5:4]             {A@1,$4} // ex_desc:0x0; desc:0x8200580 // $51
_0_076:
L792:
_0_078:
L816:
(W)     mov (1|M0)               r4.1<1>:ud    f3.0<0;1,0>:ud                                        // $57
(~f2.0) goto (32|M0)                         _0_079            _0_079                                // $59
