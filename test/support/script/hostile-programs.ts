import type { InnerCalls } from "../../../src/contract/script.ts";

/** Programs that try to get out, to run forever, or to exhaust something. One that reaches the host returns "ESCAPED". */
export interface HostileProgram {
  readonly kind: string;
  readonly text: string;
}

/** Returns this many programs: each kind in turn, with variations. */
export function hostilePrograms(count: number): readonly HostileProgram[] {
  const all = Object.entries(kinds);
  return Array.from({ length: count }, (_, at) => {
    const [kind, vary] = all[at % all.length]!;
    return { kind, text: vary(Math.floor(at / all.length)) };
  });
}

const pick = <Choice>(choices: readonly Choice[], at: number): Choice => choices[at % choices.length]!;

/** An expression that is truthy when something of Node or of a browser can be reached. */
const host =
  "[typeof process, typeof require, typeof module, typeof Buffer, typeof fetch, typeof WebAssembly, typeof setTimeout, typeof std, typeof os, typeof navigator, typeof queueMicrotask].some((type) => type !== 'undefined')";

const kinds: Readonly<Record<string, (at: number) => string>> = {
  "endless loop": (at) => pick(["for(;;);", "while(true){}", "do {} while(1)", "let i = 0; for(;;) i++"], at),
  "endless loop in a callback": (at) =>
    `[1].${pick(["map", "forEach", "filter", "sort"], at)}(() => { for(;;); }); [2, 1].sort(() => { for(;;); })`,
  "caught interrupt": (at) =>
    `for (;;) { try { for(;;); } ${pick(["catch {}", "finally { continue }", "catch (e) { print(e) }"], at)} }`,
  "caught interrupt in async code": () =>
    "const f = async () => { for(;;); }; for (;;) { try { await f() } catch {} }",
  "finally that loops": () => "try { for(;;); } finally { for(;;); }",
  "generator that loops": () => "function* g() { for(;;) yield 1 } for (const x of g());",
  "regular expression that backtracks": (at) =>
    `/${pick(["(a+)+$", "(a|aa)+$", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"], at)}/.test("a".repeat(${30 + at}) + "!")`,
  "promise chain without end": (at) =>
    pick(
      [
        "for(;;) await null",
        "const f = () => Promise.resolve().then(f); await f()",
        "const f = async () => { await 0; return f() }; await f()",
      ],
      at,
    ),
  "promise bomb": () =>
    "const f = () => { for (let i = 0; i < 10; i++) Promise.resolve().then(f) }; f(); await new Promise(() => {})",
  "promise that never ends": (at) =>
    pick(["await new Promise(() => {})", "await { then() {} }", "await Promise.race([])"], at),
  "array without end": (at) =>
    `const a = []; for(;;) a.push(${pick(["new Array(1000).fill(1)", "{}", "'x'.repeat(100)", "a.slice()"], at)})`,
  "string without end": (at) =>
    pick(
      [
        "let s = 'a'; for(;;) s += s",
        "return 'x'.repeat(2 ** 29)",
        "return 'x'.padEnd(2 ** 29)",
        "return Array(1e9).join('xx')",
      ],
      at,
    ),
  "huge buffers": (at) =>
    `const all = []; for(;;) all.push(new ${pick(["ArrayBuffer", "Uint8Array", "Float64Array", "SharedArrayBuffer"], at)}(2 ** 20))`,
  "caught lack of memory": () =>
    "const a = []; for (;;) { try { a.push(new Array(1e5).fill(a)) } catch { a.length = 10 } }",
  "huge number": (at) => `return String(2n ** (2n ** ${20 + (at % 12)}n)).length`,
  "map without end": (at) =>
    `const m = new ${pick(["Map", "Set"], at)}(); for (let i = 0; ; i++) m.${pick(["set", "add"], at)}(i, i)`,
  "deep recursion": (at) =>
    pick(
      [
        "const f = () => f() + 1; f()",
        "const f = (...a) => f(...a, 1); f()",
        "class A { get x() { return this.x } } new A().x",
        "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x",
        "const f = () => { try { f() } finally { f() } }; f()",
      ],
      at,
    ),
  "deep data": (at) =>
    `let o = {}; for (let i = 0; i < 1e5; i++) o = ${pick(["{ o }", "[o]"], at)}; return o`,
  "deep text": (at) =>
    pick(
      [
        "JSON.parse('['.repeat(1e6))",
        "new Function('('.repeat(1e5))",
        "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))",
        "eval('1+'.repeat(1e5) + '1')",
      ],
      at,
    ),
  "circular result": () => "const o = {}; o.o = o; return o",
  "result with toJSON": (at) =>
    `return { toJSON() { ${pick(["for(;;);", "throw new Error('x')", "return this", "return { toJSON: 1 }"], at)} } }`,
  "result that is a proxy": (at) =>
    `return new Proxy({}, { ${pick(["get", "ownKeys", "getOwnPropertyDescriptor", "has"], at)}() { for(;;); } })`,
  "result that is a thenable": (at) =>
    `return { then(resolve) { ${pick(["resolve(this)", "for(;;);", "throw 1", "resolve({ then: this.then })"], at)} } }`,
  "argument with getters": (at) =>
    `return (await tools.echo({ get text() { ${pick(["for(;;);", "throw new Error('x')", "return 'x'", "return this"], at)} } })).text`,
  "argument that is a proxy": () =>
    "return (await tools.echo(new Proxy({ text: 'x' }, { get(t, k) { return k === 'toJSON' ? undefined : t[k] } }))).text",
  "argument that pollutes": (at) =>
    `return (await tools.echo(JSON.parse('{"${pick(["__proto__", "constructor", "prototype"], at)}": {"polluted": true}, "text": "x"}'))).text`,
  "polluted prototypes": (at) =>
    `${pick(["Object", "Array", "String", "Promise", "Function"], at)}.prototype.${pick(["then", "toJSON", "get", "message", "code", "text", "stack"], at)} = function () { return 'ESC' }; return (await tools.echo({ text: 'x' })).text`,
  "replaced built-in functions": (at) =>
    `${pick(["JSON.stringify", "JSON.parse", "Promise.prototype.then", "Object.defineProperty", "Array.prototype.join", "Reflect.apply", "String"], at)} = () => { throw 1 }; print(1); return (await tools.echo({ text: 'x' })).text`,
  "constructor of a function": (at) =>
    `const F = ${pick(["print.constructor", "help.constructor", "tools.constructor", "(async () => {}).constructor", "(function* () {}).constructor", "ToolError.constructor", "console.log.constructor"], at)}; let found; try { found = F("return ${host}")() } catch { return 'no' } return (await found) === true ? 'ESCAPED' : 'no'`,
  "globals of the host": () => `return ${host} ? 'ESCAPED' : 'no'`,
  "this of a function": (at) =>
    `const g = (${pick(["function () { return this }", "() => globalThis"], at)})() ?? {}; return g.process || g.require || g.global ? 'ESCAPED' : 'no'`,
  "stack of an error": (at) =>
    `Error.prepareStackTrace = (e, s) => s; Error.stackTraceLimit = 100; try { ${pick(["null.x", "await tools.missing({})", "print(Symbol())", "undefined()"], at)} } catch (e) { return /node:|\\/src\\/|\\.ts:|worker/.test(String(e.stack)) ? 'ESCAPED' : 'no' }`,
  import: (at) =>
    `const m = await import("${pick(["fs", "node:fs", "child_process", "./main.ts", "/etc/passwd", "std", "os", "data:text/javascript,1"], at)}"); return 'ESCAPED'`,
  "import statement": (at) =>
    pick(["import fs from 'fs'; return 'ESCAPED'", "export const a = 1", "import.meta.url"], at),
  eval: (at) =>
    `return ${pick(["eval", "(0, eval)", "globalThis['ev' + 'al']"], at)}("${host}") ? 'ESCAPED' : 'no'`,
  "end of the wrapper": (at) =>
    pick(
      ["}); (async () => { return 'x'", "})(); (() => {", "*/ }", "}", "`", "\u0000", "\u2028}", "//", "/*"],
      at,
    ),
  "output flood": (at) =>
    `for(;;) ${pick(["print('x'.repeat(1e5))", "console.log(1)", "try { print('x'.repeat(1e6)) } catch {}"], at)}`,
  "call flood": (at) =>
    pick(
      [
        "for(;;) tools.echo({ text: 'x' })",
        "for (let i = 0; i < 5000; i++) await tools.echo({ text: 'x' })",
        "for(;;) try { await tools.echo({ text: 'x' }) } catch {}",
        "await Promise.all(Array.from({ length: 3000 }, () => help('echo')))",
      ],
      at,
    ),
  "huge argument": (at) =>
    `return (await tools.echo({ text: 'x'.repeat(${10 ** (6 + (at % 3))}) })).text.length`,
  "calls after the end": (at) =>
    pick(
      [
        "tools.echo({ text: 'x' }); return 1",
        "const f = () => tools.echo({ text: 'x' }).then(f); f(); return 1",
        "(async () => { for(;;) await tools.echo({ text: 'x' }) })(); return 1",
      ],
      at,
    ),
  "names of tools": (at) =>
    `return (await tools.${pick(["__proto__.x", "constructor.constructor", "toString", "echo.__proto__", "hasOwnProperty"], at)}({ text: 'return process' })).text`,
  "thrown values": (at) =>
    `throw ${pick(["null", "undefined", "Symbol('x')", "{ get message() { for(;;); } }", "new Proxy(new Error('x'), { get() { throw 1 } })", "Object.assign(new ToolError({ code: 'x', message: 'y' }), { code: {}, hint: 5 })", "'x'.repeat(1e7)"], at)}`,
  "the clock": (at) =>
    `return ${pick(["Date.now()", "new Date().getTime()", "Date()", "new (new Date(0).constructor)().getTime()", "new (class extends Date {})().getTime()", "Reflect.construct(Date, []).getTime()"], at)} > 1e12 ? 'ESCAPED' : 'no'`,
  blocking: () => "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e9); return 'x'",
};

/** The calls of a program whose only tool returns its argument. */
export const echoCalls: InnerCalls = {
  areNested: false,
  tools: async () => [{ name: "echo", description: "", inputSchema: { type: "object" } }],
  call: async (name, input) =>
    name === "echo"
      ? { ok: true, data: input, text: String((input as { text?: unknown }).text) }
      : { ok: false, error: { code: "not-found", message: "Unknown tool" } },
};
