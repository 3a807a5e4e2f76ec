/** A system call as the kernel shows it to a filter. */
export interface ObservedCall {
  readonly number: number;
  readonly architecture: number;
  readonly args: readonly bigint[];
}

/** Runs a filter like the kernel, and returns its result. Refuses what the kernel would not load. */
export function interpret(program: Uint8Array, call: ObservedCall): number {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture, true);
  for (const [at, argument] of call.args.slice(0, 6).entries())
    data.setBigUint64(16 + at * 8, argument, true);
  let register = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const value = code.getUint32(at * 8 + 4, true);
    const [ifTrue, ifFalse] = [code.getUint8(at * 8 + 2), code.getUint8(at * 8 + 3)];
    switch (code.getUint16(at * 8, true)) {
      case 0x20:
        if (value % 4 !== 0) throw new Error(`load from ${value}`);
        register = data.getUint32(value, true);
        break;
      case 0x54:
        register = (register & value) >>> 0;
        break;
      case 0x05:
        at += value;
        break;
      case 0x15:
        at += register === value ? ifTrue : ifFalse;
        break;
      case 0x35:
        at += register >= value ? ifTrue : ifFalse;
        break;
      case 0x45:
        at += (register & value) !== 0 ? ifTrue : ifFalse;
        break;
      case 0x06:
        return value;
      default:
        throw new Error(`unknown instruction ${at}`);
    }
  }
  throw new Error("ran past the end");
}
