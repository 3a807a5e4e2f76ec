/** One line of a program for the kernel's packet filter machine, which has one register. Jumps go forward only. */
export type Line =
  | { readonly load: number }
  | { readonly and: number }
  | { readonly ifEqual: number; readonly goTo: string }
  | { readonly ifAtLeast: number; readonly goTo: string }
  | { readonly ifAnyBitOf: number; readonly goTo: string }
  | { readonly goTo: string }
  | { readonly return: number }
  | { readonly label: string };

/** The bytes that `prctl(PR_SET_SECCOMP)` and `bwrap --seccomp` take: eight for each instruction, little-endian. */
export function assemble(lines: readonly Line[]): Uint8Array {
  const labels = new Map<string, number>();
  const instructions: Exclude<Line, { readonly label: string }>[] = [];
  for (const line of lines) {
    if ("label" in line) labels.set(line.label, instructions.length);
    else instructions.push(line);
  }
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [at, line] of instructions.entries()) {
    const { code, value } = encoded(line);
    view.setUint16(at * 8, code, true);
    if (!("goTo" in line)) {
      view.setUint32(at * 8 + 4, value, true);
      continue;
    }
    const distance = (labels.get(line.goTo) ?? -1) - at - 1;
    if (distance < 0) throw new Error(`"${line.goTo}" does not follow instruction ${at}`);
    if (code === jumpAlways) {
      view.setUint32(at * 8 + 4, distance, true);
      continue;
    }
    if (distance > 255) throw new Error(`"${line.goTo}" is too far from instruction ${at}`);
    view.setUint8(at * 8 + 2, distance);
    view.setUint32(at * 8 + 4, value, true);
  }
  return bytes;
}

const jumpAlways = 0x05;

function encoded(line: Exclude<Line, { readonly label: string }>): { code: number; value: number } {
  if ("load" in line) return { code: 0x20, value: line.load };
  if ("and" in line) return { code: 0x54, value: line.and };
  if ("ifEqual" in line) return { code: 0x15, value: line.ifEqual };
  if ("ifAtLeast" in line) return { code: 0x35, value: line.ifAtLeast };
  if ("ifAnyBitOf" in line) return { code: 0x45, value: line.ifAnyBitOf };
  if ("return" in line) return { code: 0x06, value: line.return };
  return { code: jumpAlways, value: 0 };
}
