export interface MadeTarEntry {
  readonly name: string;
  readonly content?: string;
  /** Replaces the true value. */
  readonly size?: string;
  readonly type?: string;
  readonly linkTarget?: string;
}

/** A tar archive of 2026-11-15 17:30 in UTC. */
export function makeTar(entries: readonly MadeTarEntry[]): Buffer {
  return Buffer.concat([...entries.map(makeEntry), Buffer.alloc(1024)]);
}

function makeEntry({ name, content = "", size, type = "0", linkTarget = "" }: MadeTarEntry): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(size ?? body.length.toString(8).padStart(11, "0"), 124, "latin1");
  header.write((Date.UTC(2026, 10, 15, 17, 30) / 1000).toString(8), 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(linkTarget, 157, 100);
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}
