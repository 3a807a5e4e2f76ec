/** The workspace is in a Map of the program, and every change of a local workspace is observed. */
import { type Backend, type BackendEntry, openToolcrib, overrideEnvironment } from "toolcrib";

class MapBackend implements Backend {
  readonly name = "map";
  readonly workspace = "/app";
  readonly #files = new Map<string, Uint8Array>([["/app/poem.txt", new TextEncoder().encode("one\ntwo\n")]]);
  readonly #folders = new Set(["/app"]);

  async stat(path: string): Promise<BackendEntry | undefined> {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const content = this.#files.get(path);
    if (content) return { name, kind: "file", bytes: content.length };
    return this.#folders.has(path) ? { name, kind: "directory", bytes: 0 } : undefined;
  }
  async list(folder: string): Promise<readonly BackendEntry[]> {
    const paths = [...this.#files.keys(), ...this.#folders];
    const within = paths.filter((path) => path.slice(0, path.lastIndexOf("/")) === folder);
    const entries = await Promise.all(within.map((path) => this.stat(path)));
    return entries.flatMap((entry) => entry ?? []);
  }
  async readFile(path: string, range = { offset: 0, length: Number.POSITIVE_INFINITY }): Promise<Uint8Array> {
    return this.#files.get(path)!.slice(range.offset, range.offset + range.length);
  }
  async writeFile(path: string, content: Uint8Array): Promise<void> {
    this.#files.set(path, content);
  }
  async makeDirectory(path: string): Promise<void> {
    this.#folders.add(path);
  }
  async remove(path: string): Promise<void> {
    this.#files.delete(path);
    this.#folders.delete(path);
  }
  async move(from: string, to: string): Promise<void> {
    this.#files.set(to, this.#files.get(from)!);
    this.#files.delete(from);
  }
}

const elsewhere = await openToolcrib({ backend: new MapBackend() });
await elsewhere.call("file.write", { path: "notes/new.txt", content: "hello\n" });
console.log((await elsewhere.call("search.grep", { pattern: "hello" })).content);
// prints: notes/new.txt:1:hello
await elsewhere.call("edit.replace", { path: "poem.txt", find: "two", replace: "2" });
await elsewhere.undo();
console.log((await elsewhere.call("file.read", { path: "poem.txt" })).content.replace("\n", ", "));
// prints: 1 | one, 2 | two
await elsewhere.close();

const changed: string[] = [];
const local = await openToolcrib({
  workspace: ".",
  wrapEnvironment: (environment) =>
    overrideEnvironment(environment, {
      change: (changes, options) => {
        changed.push(...changes.map(({ path }) => path));
        return environment.change(changes, options);
      },
    }),
});
await local.call("file.write", { path: "new.txt", content: "hello\n" });
console.log(changed.join());
// prints: new.txt
await local.close();
