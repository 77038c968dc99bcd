//.kernel add_kernel
//.platform XE3P_CRI
//.thread_config numGRF=64, numAcc=4, numSWSB=32
//.options_string "-emitCrossThreadOffR0Reloc -hashmovs 522417927 2808570959 -hashmovs1 0 1 "
//.full_options "-emitLocation -autoGRFSelection -wideMulMadOpsEn -enableCoalesceScalarMoves -suppor"
//.instCount 228
//.RA type	GRAPH_COLORING_FF_RA
//.git-hash 
//.spill flag store 5
//.declare BuiltInR0 (0)  rf=r size=64 type=ud align=32 words (r0.0) IsBuiltin
//.declare P01 (76)  rf=f32  size=4 type=uw align=2 words (spilled -> )
// .inputs
// +----------+----------+--------+----------+------------------+
// | id       | type     |  bytes | at       | from             |
// B000: Preds:{},  Succs:{B001}
per_thread_prolog:
(W)     and (1|M0)               acc0.0<1>:ud  r0.4<0;1,0>:uw    0xFF:uw                             //  ALU pipe: int; 
(W)     mov (1|M0)               s0.2<1>:uq    r0.7<0;1,0>:uq                                        //  ALU pipe: int; 
(W)     mad (1|M0)               acc0.0<1>:ud  0x0:uw               acc0.0<0;0>:ud    0x40:uw              //  R_SYM_ADDR_16: __INTEL_PER_THREAD_OFF; ALU pipe: int; 
(W)     mov (16|M0)              r2.0<1>:ud    r1.0<1;1,0>:ud                                        //  ALU pipe: int; 
(W)     add (1|M0)               r63.0<1>:ud   acc0.0<0;1,0>:ud  0x0:ud                              //  R_SYM_ADDR_32: __INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0; ALU pipe: int; 
// File: /src/kernels.py
// Line 18:  tl.store(o_ptr+offs, x+y, mask=m)
(W)     sendg.ugm (1|M0)         r1       r63:1  null:0  s0.16  0x281680 {A@1,$0} // rd:64 B; load.ugm.d32x16t.a32u.ovf.ca.ca.uc [s0.16+src0] // 
        nop                                                                                          // 
// cross_thread_prolog:
// _main:
(W)     or (1|M0)                cr0.0<1>:ud   cr0.0<0;1,0>:ud   0x400004C0:ud              {A@1}    // $1
(W)     shl (1|M0)               r2.0<1>:d     r3.1<0;1,0>:d     10:w               {Compacted,I@3}  //  ALU pipe: int; $4
        or (32|M0)               r20.0<1>:d    r2.0<0;1,0>:d     r4.0<2;1,0>:uw   {I@1}              //  ALU pipe: int; $7
(W)     mov (1|M0)               r2.1<1>:ud    f3.0<0;1,0>:ud                   {Compacted}          //  ALU pipe: int; $17
(W)     mov (1|M0)               f2.0<1>:ud    r2.1<0;1,0>:ud                   {Compacted,I@2}      //  ALU pipe: int; $19
        or (32|M0)               r14.0<1>:d    r20.0<1;1,0>:d    384:w               {Compacted}     //  ALU pipe: int; $10
        or (32|M0)               r10.0<1>:d    r20.0<1;1,0>:d    640:w               {Compacted}     //  ALU pipe: int; $12
        or (32|M0)               r6.0<1>:d     r20.0<1;1,0>:d    896:w                               //  ALU pipe: int; $14
_0_074:
        sendg.ugm (32|M0)        r4       r20:2  null:0  s0.16  0x100000005000 {I@1,$1} // rd:128 B; load.ugm.d32.a32s [s0.16+0x4*src0] // $21
        goto (32|M0)                         _0_073            _0_075                                // $23
        join (32|M0)                         _0_075                                                  // 
        mov (32|M0)              r52.0<1>:ud   0x0:ud                              {F@1}             //  ALU pipe: int; $25
        join (32|M0)                         L448                                                    // 
        cmp (32|M0)   (lt)f1.0   null<1>:d     r18.0<1;1,0>:d    r2.10<0;1,0>:d                      //  ALU pipe: int; $28 R{} IR{}{E:1,E:1,},  R{r2,} IR{} {BC=1}
(W)     mov (1|M0)               f0.0<1>:ud    r2.2<0;1,0>:ud                   {Compacted,I@1}      //  ALU pipe: int; $30
_0_077:
        sendg.ugm (32|M0)        r4       r18:2  null:0  s0.16  0x100000005000 {I@1,$2} // rd:128 B; load.ugm.d32.a32s [s0.16+0x4*src0] // $32
        goto (32|M0)                         _0_076            _0_078                                // $34
        join (32|M0)                         _0_078                                                  // 
        mov (32|M0)              r50.0<1>:ud   0x0:ud                              {Compacted,F@1}   //  ALU pipe: int; $36
        join (32|M0)                         L592                                                    // 
        cmp (32|M0)   (lt)f3.0   null<1>:d     r16.0<1;1,0>:d    r2.10<0;1,0>:d                      //  ALU pipe: int; $39
(W)     mov (1|M0)               f2.0<1>:ud    r2.3<0;1,0>:ud                   {I@1}                //  ALU pipe: int; $41
_0_080:
        sendg.ugm (32|M0)        r4       r16:2  null:0  s0.16  0x100000005000 {I@1,$3} // rd:128 B; load.ugm.d32.a32s [s0.16+0x4*src0] // $43
        goto (32|M0)                         _0_079            _0_081                                // $45
        join (32|M0)                         _0_081                                                  // 
        mov (32|M0)              r48.0<1>:ud   0x0:ud                              {F@1}             //  ALU pipe: int; $47
        join (32|M0)                         L768                                                    // 
        cmp (32|M0)   (lt)f1.0   null<1>:d     r14.0<1;1,0>:d    r2.10<0;1,0>:d                      //  ALU pipe: int; $50
(W)     mov (1|M0)               f0.0<1>:ud    r2.11<0;1,0>:ud                  {I@1}                //  ALU pipe: int; $52
_0_083:
        sendg.ugm (32|M0)        r4       r14:2  null:0  s0.16  0x100000005000 {I@1,$4} // rd:128 B; load.ugm.d32.a32s [s0.16+0x4*src0] // $54
        goto (32|M0)                         _0_082            _0_084                                // $56
        join (32|M0)                         _0_084                                                  // 
        mov (32|M0)              r46.0<1>:ud   0x0:ud                              {Compacted,F@1}   //  ALU pipe: int; $58
        join (32|M0)                         L936                                                    // 
        cmp (32|M0)   (lt)f1.0   null<1>:d     r12.0<1;1,0>:d    r2.10<0;1,0>:d                      //  ALU pipe: int; $61
(W)     mov (1|M0)               f0.0<1>:ud    r2.0<0;1,0>:ud                   {Compacted,I@1}      //  ALU pipe: int; $63
