// @ts-check
/** Which registers an operand of ISA covers. */

// r12   r10.0<1>:f   r127.2<0;0>:ud   r9.0<1;1,0>:f   r127:1 (a payload of one register)   r69.0:hf (of dpas)
const OPERAND = /\br(\d+)(?:\.(\d+))?(?::(\d+)(?!\w))?(?:<([\d;,]+)>)?(?::([a-z]+\d*))?/g;
// What comes before the operands: (W&f0.0)  bfn.(s0&s1|s2) (16|M0)  cmp (32|M0) (lt)f1.0  mov (8|M0) (sat)
const BEFORE_OPERANDS = /^\s*(?:\([^)]*\)\s*)?[a-z]\w*(?:\.\S+)?\s*(?:\((\d+)\|M\d+\)\s*)?(?:\([a-z]+\)f\d\.\d\s*)?(?:\(sat\)\s*)?/;
// //.platform PVCXT
const PLATFORM = /^\/\/\.platform\s+(\S+)/;
const WIDE = /^(?:PVC|XE\d|BMG|LNL|PTL|NVL|CRI)/i; // from Ponte Vecchio on a register has 64 bytes
const HEADER = 20; // lines
// dpas.8x4: of depth 8, repeated 4 times
const DPAS = /^\s*b?dpasw?\.(\d+)x(\d+)/;
// // wr:1h+4, rd:2; …   // rd:128 B; …
const WRITTEN = /\bwr:(\d+)h?\+(\d+)/;
const READ = /\brd:(\d+)( B)?/;

/** @type {Record<string, number>} */
const TYPE_BYTES = { b: 1, ub: 1, bf8: 1, hf8: 1, w: 2, uw: 2, hf: 2, bf: 2, d: 4, ud: 4, f: 4, tf32: 4, q: 8, uq: 8, df: 8 };

/** Bytes of a register, by a listing's header. @param {string[]} lines */
export function registerBytes(lines) {
  for (const line of lines.slice(0, HEADER)) {
    const platform = PLATFORM.exec(line)?.[1];
    if (platform) return WIDE.test(platform) ? 64 : 32;
  }
  return 64;
}

/**
 * Bytes from an operand's first element to the end of its last.
 *
 * @param {number[]} region  <H>, <V;H> or <V;W,H> @param {boolean} written @param {number} width @param {number} bytes  of an element
 */
function extent(region, written, width, bytes) {
  const last = width - 1;
  if (region.length === 3) {
    const [down, wide, across] = region;
    const of = Math.max(1, Math.min(wide, width));
    return (Math.floor(last / of) * down + (of - 1) * across + 1) * bytes;
  }
  if (region.length === 2) {
    const [down, across] = region;
    const of = across ? Math.max(1, Math.min(width, Math.floor(down / across) || width)) : 1;
    return (Math.floor(last / of) * down + (of - 1) * across + 1) * bytes;
  }
  return (last * (region[0] ?? (written ? 1 : 0)) + 1) * bytes;
}

/**
 * The registers of a line: each operand's first one and how many it covers.
 *
 * @param {string} text @param {number} bytes  of a register
 * @returns {{start: number, end: number, first: number, count: number, written: boolean}[]}
 */
export function registerOperands(text, bytes) {
  const end = text.search(/\{|\/\/|$/);
  const head = BEFORE_OPERANDS.exec(text);
  const operands = head?.[0].length ?? 0;
  const width = Number(head?.[1] ?? 1);
  const dpas = DPAS.exec(text);
  const message = /^\s*(?:\([^)]*\)\s*)?sends?g?c?\b/.test(text);
  const found = [];
  for (const use of text.slice(0, end).matchAll(OPERAND)) {
    const start = /** @type {number} */ (use.index);
    if (start < operands) continue;
    const [, register, sub, payload, region, type] = use;
    const before = text.slice(operands, start).trim();
    const place = before ? before.split(/\s+/).length : 0; // of the operand; the destination's is 0
    const written = start === operands;
    const size = TYPE_BYTES[type ?? ""] ?? 0;
    let count = 1;
    if (payload !== undefined) count = Number(payload);
    else if (dpas) {
      const [depth, repeat] = [Number(dpas[1]), Number(dpas[2])];
      const covered = [repeat * width * size, repeat * width * size, depth * width * 4, repeat * depth * 4][place] ?? 0;
      count = Math.ceil(covered / bytes);
    } else if (message) {
      const read = READ.exec(text);
      if (written) count = read ? Math.ceil(Number(read[1]) / (read[2] ? bytes : 1)) : 1;
      else count = Number(WRITTEN.exec(text)?.[place === 1 ? 1 : 2] ?? 1);
    } else if (size) {
      const strides = region === undefined ? [] : region.split(/[;,]/).map(Number);
      const offset = (Number(sub ?? 0) * size) % bytes;
      count = Math.ceil((offset + extent(strides, written, width, size)) / bytes);
    }
    found.push({ start, end: start + use[0].length, first: Number(register), count: Math.max(1, count), written });
  }
  return found;
}

/** Where a register is written and read in a line. @param {string} text @param {number} register @param {number} bytes  of a register */
export const registerUses = (text, register, bytes) => registerOperands(text, bytes).filter(({ first, count }) => first <= register && register < first + count);
