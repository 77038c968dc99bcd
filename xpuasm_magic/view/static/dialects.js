// @ts-check
/** What a stage's text is made of: labels, instructions by name, comments. */

/**
 * @typedef {object} Dialect
 * @property {RegExp|null} label  a line that a branch can name; its first group is the name
 * @property {(text: string, coded: boolean) => string|null} named  the instruction that a line has; `coded`: it has an address
 * @property {(text: string, coded: boolean) => string|null} bare  the line without decorations; null: it is one
 * @property {string} noun  of what `named` names
 */

// (W&f0.0) jmpi      mad (16|M0)      load_block2d.ugm.d16.a64 (1|M0)
export const OPCODE = /^\s*(?:\([^)]*\)\s*)*([a-z]\w*)/;
// _0_073:      L784:      per_thread_prolog:      .L_x_1:      $L__BB0_2:
const LABEL = /^\s*([A-Za-z_.$][\w.$]*):\s*(?:\/\/.*)?$/;
//     (P1) goto (M1, 1) _0_007      lsc_load.ugm (M1_NM, 1)      mov (M1, 32)
const VISA_NAME = /^\s+(?:\([^)]*\)\s*)?([a-z]\w*)/;
//   %12 = tail call spir_func …      store …      br label %7
const LLVM_NAME = /^\s+(?:%\S+ = )?(?:tail |musttail |notail )?([a-z]\w*)/;
// 12:      ; preds = %0            "bb 1":
const LLVM_LABEL = /^\s*("[^"]*"|[\w.$-]+):\s*(?:;.*)?$/;
//     %3 = tt.load %2, %1 : …      scf.for …      "tt.reduce"(…) ({
const MLIR_NAME = /^\s*(?:%[^=]*= )?"?([a-z_]\w*\.[\w.]+)/;
// ^bb1(%arg0: f32 loc(…)):      // pred: ^bb0
const MLIR_LABEL = /^\s*\^([\w.$-]+)(?:\(.*\))?:\s*(?:\/\/.*)?$/;
const SPIRV_NAME = /^\s*(?:%\S+ = )?(Op[A-Z]\w*)/;

/** @param {RegExp} pattern @returns {(text: string) => string|null} */
const firstOf = (pattern) => (text) => pattern.exec(text)?.[1] ?? null;
/** @param {string} text */
const orNull = (text) => text.trimEnd() || null;
/** Without what follows a sign, outside of quotes. @param {string} sign @returns {(text: string) => string|null} */
const before = (sign) => (text) => {
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') quoted = !quoted;
    else if (!quoted && text.startsWith(sign, at)) return orNull(text.slice(0, at));
  }
  return orNull(text);
};
const beforeSlashes = before("//");
const beforeSemicolon = before(";");

/** @type {Dialect} */
const ISA = {
  label: LABEL,
  named: (text, coded) => (coded ? OPCODE.exec(text)?.[1] ?? null : null),
  bare: (text, coded) => (coded || LABEL.test(text) ? beforeSlashes(text) : null),
  noun: "instruction",
};
/** @type {Dialect} */
const VISA = { label: LABEL, named: firstOf(VISA_NAME), bare: beforeSlashes, noun: "instruction" };
/** @type {Dialect} */
const LLVM = {
  label: LLVM_LABEL,
  named: firstOf(LLVM_NAME),
  // store float %3, ptr %4, align 4, !dbg !21
  bare: (text) => (/^(?:![\w.]+ = |(?:source_filename|target) )/.test(text) ? null : beforeSemicolon(text.replace(/,? !dbg !\d+/g, ""))),
  noun: "instruction",
};
/** @type {Dialect} */
const MLIR = {
  label: MLIR_LABEL,
  named: firstOf(MLIR_NAME),
  // %3 = tt.load %2, %1 : tensor<1024x!tt.ptr<f32>> loc(#loc7)
  bare: (text) => (text.startsWith("#loc") ? null : beforeSlashes(text.replace(/ loc\((?:#loc\d*|unknown)\)/g, ""))),
  noun: "operation",
};
/** @type {Dialect} */
const SPIRV = {
  label: /^\s*(%\S+) = OpLabel\b/,
  named: firstOf(SPIRV_NAME),
  bare: (text) => (/^\s*(?:OpLine|OpNoLine|OpSource|OpName|OpMemberName|%\S+ = OpString)\b/.test(text) ? null : beforeSemicolon(text)),
  noun: "instruction",
};
/** @type {Dialect} */
const PTX = { label: LABEL, named: firstOf(/^\s+(?:@!?%\w+\s+)?([a-z]\w*)/), bare: (text) => (/^\s*\.(?:loc|file)\b/.test(text) ? null : beforeSlashes(text)), noun: "instruction" };
/** @type {Dialect} */
const PLAIN = { label: null, named: () => null, bare: (text) => text, noun: "line" };

/** @type {Record<string, Dialect>} */
const OF_STAGE = { isa: ISA, sass: ISA, visa: VISA, ptx: PTX, llir: LLVM, visa_ll: LLVM, ttir: MLIR, ttgir: MLIR, spirv: SPIRV };

/** @param {string} stage */
export const dialectOf = (stage) => OF_STAGE[stage] ?? PLAIN;
