import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { type CodeSymbol, type OutlinedSymbol, symbolKinds } from "../../../contract/code.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";

type Row = readonly [
  kind: number,
  name: string,
  parent: number,
  firstLine: number,
  lines: number,
  line: number,
  signature: string,
  doc: string | 0,
];

export function writeOutline(symbols: readonly CodeSymbol[]): Uint8Array {
  const rows = symbols.map(
    ({ kind, name, parent = -1, firstLine, lastLine, line, signature, doc }): Row => [
      symbolKinds.indexOf(kind),
      name,
      parent,
      firstLine,
      lastLine - firstLine,
      line - firstLine,
      signature,
      doc ?? 0,
    ],
  );
  const text = JSON.stringify(rows);
  // By default, even a small result keeps 16 kB.
  const chunkSize = Math.min(Math.max(64, text.length), 16_384);
  return new Uint8Array(zstdCompressSync(text, { params: quickly, chunkSize }));
}

const quickly = { [constants.ZSTD_c_compressionLevel]: 1 };

export function readOutline(bytes: Uint8Array): readonly OutlinedSymbol[] {
  const rows = JSON.parse(asBuffer(zstdDecompressSync(bytes)).toString()) as Row[];
  return rows.map(([kind, name, parent, firstLine, lines, line, signature, doc]) => ({
    kind: symbolKinds[kind]!,
    name,
    parent: parent < 0 ? undefined : parent,
    firstLine,
    lastLine: firstLine + lines,
    line: firstLine + line,
    signature,
    doc: doc === 0 ? undefined : doc,
  }));
}
