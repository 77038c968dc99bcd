// @ts-check
/**
 * The browser of a capture: kernels, their numbers, their machine code.
 *
 * One module for notebooks (anywidget calls `render`) and for the report page (`openReport`). Both give the
 * same `show()` a host, which knows where data come from. Text of a capture reaches the page through
 * `textContent` only. The shapes below are those of `payload.py`.
 *
 * @typedef {"info"|"warning"|"error"} Severity
 * @typedef {{severity: Severity, message: string, path: string|null}} Note
 * @typedef {{name: string, title: string, tooltip: string, numeric: boolean, primary: boolean}} Column
 * @typedef {{name: string, title: string, suffix: string}} Stage
 * @typedef {{label: string, reason: string, status: string, simd: number|null, grf: number|null,
 *            spill_bytes: number|null, launched: boolean, stages: Stage[]}} Attempt
 * @typedef {boolean|number|string|null} Cell
 * @typedef {{id: string, family: string, group: string, cells: Cell[], stages: Stage[], attempts: Attempt[], notes: Note[],
 *            error: string|null, repro: string|null, line: number|null,
 *            origin: {ops: string[], lines: string[]}|null, coverage: number|null}} Kernel
 * @typedef {{file: string, first: number, count: number, start: number, label: string}[]} Cells
 * @typedef {{title: string, state: string|null, verdict: string, folder: string, columns: Column[],
 *            families: {name: string, title: string}[], kernels: Kernel[], notes: Note[], cells: Cells,
 *            fidelity: string[], versions: Record<string, string>, matrix: Matrix|null}} Capture
 * @typedef {{text: string, chunk: number, files: string[], locs: number[][], calls: number[][], ids: number[][],
 *            pcs: (number|null)[]}} Listing
 * @typedef {{start: number, classes: string[], lines: number[][]}} Spans
 * @typedef {{kernel: string, attempt: number|null, stage: string}} Place
 * @typedef {{kernel: string, attempt: number|null, matrix: string|null}} Code
 * @typedef {{labels: string[], summary: string, stages: Stage[], stage: string, texts: string[], chunk: number,
 *            kinds: string[], runs: number[][], hunks: {first: number, last: number, places: string[]}[],
 *            counts: Record<string, number>}} Comparison
 * @typedef {{title: string, tooltip: string, numeric: boolean, figure: boolean}} MatrixColumn
 * @typedef {{code: Code, captured: boolean, status: string, reason: string|null, cells: Cell[],
 *            marks: string[]}} MatrixRow
 * @typedef {{question: string, words: string, columns: MatrixColumn[], rows: MatrixRow[]}} MatrixPart
 * @typedef {{parts: MatrixPart[], interrupted: boolean, folder: string}} Matrix
 * @typedef {{value: string, title: string}} Choice
 * @typedef {{questions: Record<string, string>, device: Choice[], grf: Choice[], toolchain: Choice[],
 *            threads_per_warp: Choice[], num_warps: Choice[], own: Record<string, string>}} Choices
 * @typedef {{job: string, phase: string, cells: number, done: number, refused: number, failed: number,
 *            elapsed_s: number, matrix: Matrix|null}} Job
 * @typedef {{kernel: string, stage: string, count: number, lines: [number, string][]}} Found
 * @typedef {{found: Found[], unread: {kernel: string, stage: string, message: string}[], next: number|null,
 *            total: number}} SearchSlice
 *
 * @typedef {{phase: string, found: number, built: number, failed: number, elapsed_s: number}} Progress
 *
 * @typedef {object} Host
 * @property {() => Capture} capture
 * @property {(listener: () => void) => () => void} onCapture  tells of a newer capture; returns how to stop
 * @property {(kind: "listing"|"spans"|"help"|"search"|"recompile"|"compare"|"hello"|"stop", params: object) => Promise<any>} request
 * @property {(listener: (progress: Progress) => void) => () => void} onProgress  tells of a run that goes on
 * @property {(id: string) => void} selected  the reader chose a kernel
 * @property {string} chosen  the kernel that the reader had chosen before; empty: none
 * @property {boolean} allConfigs  all configs of each kernel are shown at first
 * @property {"notebook"|"page"} kind
 */
