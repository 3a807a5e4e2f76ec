import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** An npm registry on the loopback interface with one package, `tiny`. */
export async function openRegistry(): Promise<AsyncDisposable & { readonly address: string }> {
  const tarball = gzipSync(
    Buffer.concat([
      entry("package/package.json", JSON.stringify(manifest)),
      entry("package/index.js", "exports.tiny = true;\n"),
      Buffer.alloc(1024),
    ]),
  );
  const server = createServer((request, response) => {
    if (request.url?.endsWith(".tgz")) return response.end(tarball);
    if (request.url !== "/tiny") return response.writeHead(404).end("{}");
    const dist = { tarball: `${address}/tiny/-/tiny-1.0.0.tgz` };
    response.setHeader("content-type", "application/json");
    return response.end(
      JSON.stringify({
        name: "tiny",
        "dist-tags": { latest: "1.0.0" },
        versions: { "1.0.0": { ...manifest, dist } },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const manifest = { name: "tiny", version: "1.0.0", main: "index.js" };

/** One file of a tar archive. */
function entry(name: string, content: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${Buffer.byteLength(content).toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = Buffer.alloc((512 - (Buffer.byteLength(content) % 512)) % 512);
  return Buffer.concat([header, Buffer.from(content), padding]);
}
