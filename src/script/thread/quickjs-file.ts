import { packageFile } from "../../system/package-file.ts";

/** Returns the path of the engine, compiled to WebAssembly. */
export function quickjsFile(): string {
  const source = "../../../node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm";
  return packageFile(import.meta.url, { source, built: "script-thread/quickjs.wasm" });
}
