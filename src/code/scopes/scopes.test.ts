// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code
import { describe, expect, it } from "vitest";
import { occurrencesIn, readMarked } from "../../../test/support/marked-names.ts";

/** «name» marks the occurrences of one binding; the same name elsewhere is another. */
const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  typescript: {
    "a variable of a block, not one outside": "let a = 1; { let «a» = 2; f(«a»); } f(a);",
    "a variable of a function, wherever var stands":
      "function f() { if (x) { var «a» = 1; } return «a»; } a;",
    "a function that a block holds": "function f() { { function «g»() {} } «g»(); } g();",
    "a parameter and not the property": "const f = («a»: string) => ({ b: «a», a: o.a, c: o.a });",
    "a parameter in a default of another": "function f(«a» = 1, b = «a») { return «a»; } a;",
    "what is taken out of an object": "const { b: «a», ...rest } = o; f(«a», rest, o.a);",
    "a function expression within itself": "const g = function «f»() { return «f»(); }; f();",
    "a class, as value and as type": "class «A»<T> { x: «A»<T> = new «A»(); } let b: «A»<B>; b.A;",
    "a type and not the variable of its name": "type «A» = 1; function f(A: «A») { return A as «A»; }",
    "a variable and not the type of its name": "function f(«A»: A) { return «A» as A; }",
    "a type parameter": "function f<«T»>(a: «T»): «T»[] { return [a as «T»]; } type U = T;",
    "a loop variable": "for (const «a» of a2) { f(«a»); } for (const a of b) {} f(a);",
    "what a loop assigns to": "let «a»; for («a» of b) { f(«a»); }",
    "an error that is caught": "try {} catch («e») { f(«e»); } e;",
    "a label": "«a»: for (;;) { const a = 1; break «a»; }",
    "a private member":
      "class A { #b = 1; «#a» = 1; «#a2»; f(o: A) { return this.«#a» + o.«#a» + this.#b; } }".replace(
        "«#a2»",
        "#a2",
      ),
    "a key of a mapped type": "type A<T> = { [«K» in keyof T]: T[«K»] } & K;",
    "an import by its own name": "import { b as «a» } from 'x'; import a2 from 'y'; f(«a», b);",
    "a namespace and its use in a type": "import * as «n» from 'x'; let a: «n».T = «n».f(); a.n;",
    "the object of a shorthand": "const «a» = 1; f({ «a», b: { a: «a» } });",
    "an assignment to a pattern": "let «a», b; ({ «a», b } = o); [«a»] = p;",
    overloads: "function «f»(a: string): void;\nfunction «f»(a: any) { «f»(a); }\n({ f() {} });",
    "a predicate": "function is(«v»: unknown): «v» is string { return typeof «v» === 's'; }",
    "what follows letters of other scripts": "const 😀 = 1, «á» = '😀'; f(«á»);".replace(
      "😀 = 1, ",
      "b = '😀', ",
    ),
  },
  tsx: {
    "an element and not the one of HTML": "const «A» = () => <p>a</p>; const x = <«A» A={<a />}>A</«A»>;",
  },
  python: {
    "a local of a function": "a = 1\ndef f():\n    «a» = 2\n    return «a»\nprint(a)\n",
    "a local before it is assigned": "def f():\n    print(«a»)\n    «a» = 1\n",
    "a global that a function assigns":
      "«a» = 1\ndef f():\n    global «a»\n    «a» = 2\ndef g():\n    a = 3\n",
    "a name of the function around":
      "def f():\n    «a» = 1\n    def g():\n        nonlocal «a»\n        «a» = 2\n    return «a»\na\n",
    "a parameter, not the default of another": "a = 1\ndef f(«a», b=a):\n    return «a»\n",
    "a name in a class is not seen in its methods":
      "«a» = 0\nclass C:\n    a = 1\n    b = a\n    def f(self):\n        return «a»\n",
    "a variable of a comprehension": "a = [a for b in a]\nc = [«a» for «a» in a if «a»]\n",
    "a second loop of a comprehension": "x = [b for «a» in c for b in «a»]\na\n",
    "what an import is called": "import b as «a»\nfrom a import c\n«a».a()\n",
    "a caught error": "def f():\n    try: pass\n    except E as «e»: print(«e»)\n",
    "a lambda's parameter": "a = lambda «x», y=x: «x» + x2\n",
    "what a pattern captures":
      "def f(v):\n    match v:\n        case [P(x=«x»), *_] if «x»: return «x»\n        case x.y: pass\n".replace(
        "case x.y: pass",
        "case z.x: pass",
      ),
    "an assignment expression in a comprehension":
      "def f(b):\n    c = [«a» := d for d in b]\n    return «a»\na\n",
    "what a formatted string shows": "def f(«a»):\n    return f'{«a»!r:>{«a»}} a {{a}}'\n",
  },
  rust: {
    "each of two variables of one name": "fn f() { let «x» = 1; let x = «x» + 1; g(x); }",
    "the second of two": "fn f() { let x = 1; let «x» = x + 1; g(«x»); { let x = «x»; g(x); } g(«x»); }",
    "what a condition takes out": "fn f(x: O) { if let Some(«x») = x { g(«x») } else { g(x) } }",
    "an arm of a match": "fn f(x: E) { match x { E::A(«x») | E::B(«x») if «x» > 1 => g(«x»), _ => g(x) } }",
    "a closure's parameter": "fn f(x: u8) { let g = |«x»: u8| «x» + 1; g(x); }",
    "a loop variable, not what is gone through": "fn f(x: V) { for «x» in x { g(«x»); } g(x); }",
    "a field of the same name": "fn f(«x»: u8) -> S { S { «x», y: s.x } }",
    "what is taken out of a field": "fn f(s: S) { let S { «x», .. } = s; g(«x», s.x); }",
    "a name in a format string": 'fn f(«x»: u8) { println!("{«x»} {«x»:?} {{x}} x {}", «x»); }',
    "a constant in a pattern":
      "const «MAX»: u8 = 1; fn f(x: u8) { match x { «MAX» => g(), _ => g2(«MAX») } }",
    "a function, not a variable of its name": "fn «g»() {} fn f() { «g»(); let g = 1; h(g); }",
    "a function, seen from one inside a function with such a variable":
      "fn «g»() {} fn f() { let g = 1; fn i() { «g»() } h(g); }",
    "a function that tests see": "fn «g»() {} mod tests { use super::*; fn t() { «g»() } }",
    "a type parameter": "fn f<«T»: D>(a: «T») -> V<«T»> { a } struct S<T>(T);",
    "a name that is a word elsewhere, in a macro":
      'fn «union»() -> u8 { 1 } fn f(default: u8) { println!("{} {}", «union»(), default); }',
    "a variable that has the name of a type": 'fn f(«str»: &str) { println!("{}", «str»); «str».len(); }',
    "a struct": "struct «S» { a: u8 } impl «S» { fn f() -> «S» { «S» { a: 1 } } }",
  },
  go: {
    "a variable that is assigned again": "package p\nfunc f() { «a» := 1; «a», b := 2, 3; g(«a», b) }",
    "a parameter that := takes again":
      "package p\nfunc f(«err» error) error { a, «err» := g(); h(a); return «err» }",
    "a variable of an if":
      "package p\nfunc f(x int) { if «x» := x; «x» > 1 { g(«x») } else { g(«x») }; g(x) }",
    "a variable in its own value": "package p\nfunc f(a int) { { «a» := a; g(«a») }; g(a) }",
    "loop variables": "package p\nfunc f(v []int) { for i, «v» := range v { g(i, «v») }; g(v) }",
    "a type switch":
      "package p\nfunc f(x any) { switch «x» := x.(type) { case int: g(«x»); default: g(«x») }; g(x) }",
    "a field of the same name":
      "package p\ntype T struct{ name string }\nfunc f(«name» string) any { return []T{{name: «name»}} }",
    "a field of a type without name":
      "package p\nfunc f(«name» string) any { return []struct{ name string }{{name: «name»}} }",
    "the key of a map": "package p\nfunc f(«k» string) any { return map[string]int{«k»: 1} }",
    "a function": "package p\nfunc «f»() { «f»() }\nfunc (t T) f() { t.f(); «f»() }",
    "a type": "package p\ntype «T» struct{ a *«T» }\nfunc f(x «T») { y := «T»{a: &x}; g(y) }",
    "a label": "package p\nfunc f() { «a»: for { a := 1; g(a); break «a» } }",
  },
  c: {
    "a variable of a block": "int f(int a) { { int «a» = 1; g(«a»); } return a; }",
    "a variable in its own value": "int x; int f(void) { int «x» = sizeof(«x»); return «x»; }",
    "a parameter, not that of a declaration": "int f(int a); int f(int *«a») { return *«a» + s.a; }",
    "a parameter, not one of a function among them": "int f(int (*g)(int a), int «a») { return g(«a»); }",
    "a parameter of old": "int f(«a», b) int «a»; char b; { return «a»; }",
    "a function of the file": "static int «f»(int a); static int «f»(int f2) { return «f»(f2); }",
    "both branches of a condition":
      "int f(void) {\n#ifdef A\nint «q» = 1;\n#else\nint «q» = 2;\n#endif\nreturn «q»; }",
    "a label": "int f(int a) { goto «a»; «a»: return a; }",
    "a struct by its tag": "struct «n» { struct «n» *next; int n; }; int f(struct «n» *n) { return n->n; }",
    "what a macro only takes the value of":
      "#define MAX(a, b) ((a) > (b) ? a : b)\n#define CALL(f, ...) f(__VA_ARGS__)\nint g(int «q») { return MAX(«q», CALL(g, «q»)); }",
    "no parameter of a macro": "#define SQ(a) ((a) * (a))\nint f(int «a») { return SQ(«a»); }",
  },
  cpp: {
    "a parameter and what initialises members":
      "struct S { S(int «a») : a(«a»), b{«a»} { this->a = «a»; } int a, b; };",
    "what a lambda captures": "void f(int «a») { auto g = [«a»](int b) { return «a» + b; }; }",
    "what a lambda captures under a name": "void f(int a) { auto g = [«b» = a] { return «b»; }; b; }",
    "a parameter of a lambda": "void f(int a) { auto g = [](int «a») { return «a»; }; g(a); }",
    "a variable of a condition": "void f(int a) { if (auto «a» = g(); «a») { h(«a»); } h(a); }",
    "a loop variable": "void f(V a) { for (auto& «a» : a) { h(«a»); } h(a); }",
    "names that are bound together": "void f() { auto [«a», b] = g(); h(«a», b); }",
    "a parameter of a template": "template <class «T»> «T» f(std::vector<«T»> v) { return «T»(v); } T x;",
  },
  bash: {
    "a variable, in text as well":
      '«x»=1\nf() { local «x»=2; echo "$«x» x"; }\ng=$((«x» + 1))\ncat <<E\n${«x»:-2} x\nE\n',
    "a loop variable": 'for «x» in a b; do echo "${«x»[0]}" "${#«x»}"; done\n',
    "a function": '«f»() { :; }\nf=1\n«f» "$f"\n',
  },
  "c-sharp": {
    "a parameter, not the field":
      "class A { int a; void F(int «a») { this.a = «a»; G(«a»); } int H() { return a; } }",
    "a local": "class A { void F() { int «x» = 1, y = «x»; { G(«x», o.x); } } int x; }",
    "parameters of lambdas": "class A { void F(int a) { G(«v» => «v» + a); G((v, w) => v); } }",
    "loop variables":
      "class A { void F(L z) { foreach (var «z2» in z) { G(«z2»); } foreach (var z2 in z) {} } }",
    "what is given out": "class A { void F() { G(out var «w»); G(«w»); } }",
    "what a pattern takes": "class A { void F(object o) { if (o is string «s» && «s».s > 0) { G(«s»); } } }",
    "names that are words elsewhere":
      "class A { void F(int «type») { var from = «type»; G(«type», from); } }",
    "a property of the same name":
      "class A { object F(int «x») { return new { «x», Y = «x», Z = new B { x = «x» } }; } }",
    "a local function": "class A { void F() { «G»(1); int «G»(int G2) { return G2; } this.G(); } }",
    "a type parameter":
      "class A<«T»> where «T» : B { «T» a; List<«T»> F(«T» t) { return (List<«T»>)null; } }",
    "what text shows": 'class A { void F(int «x») { G($"{«x»} x"); } }',
  },
  kotlin: {
    "a parameter, not the property":
      "class A(val a: Int) { fun f(«a»: Int): Int { this.a; return «a» + b.a }\n fun g() = a }",
    "a local, in text as well": 'fun f(): Int { val «x» = 1; g("$«x» ${«x» + 1} x", o.x); return «x» }',
    "a local in its own value": "fun f(x: Int) { run { val «x» = x + 1; g(«x») }; g(x) }",
    "names that are words elsewhere": "data class A(val b: Int)\nfun f(«data»: A) { g(«data», o.data) }",
    "a parameter of a lambda": "fun f(e: L) { e.map { «e2» -> «e2».e2 }.map { e2 -> e2 }; g(e) }",
    "names taken apart": "fun f(m: M) { for ((k, «v») in m) { g(k, «v») }; val (v, w) = p; g(v, w) }",
    "a caught error": "fun f() { try { g() } catch («e»: E) { h(«e») } }",
    "a subject of when": "fun f(x: Any) = when (val «w» = x) { is A -> g(«w»); else -> «w» }",
    "a local function": "fun f() { fun «g»(a: Int) = a; «g»(1); o.g(2) }",
    "a type parameter": "fun <«T»> f(a: «T»): List<«T»> { return g<«T»>(a) }",
  },
  lua: {
    "the first of two variables": "local «x» = 1\nlocal x, y = «x» + 1, 2\nprint(x, y)\n",
    "a variable of a block": "local x = 1\ndo local «x» = x; print(«x», t.x, { x = «x» }) end\nprint(x)\n",
    "a function that calls itself": "local function «f»(a) return «f»(a) end\n«f»(1)\nfunction t.f() end\n",
    "a parameter": "function f(«a», b) return «a».a + b end\nprint(a)\n",
    "a loop variable": "for «i» = i, 3 do print(«i») end\nfor k, i in pairs(t) do print(k, i) end\n",
    "what the end of a loop sees": "repeat local «u» = f() until «u» > 1\nprint(u)\n",
  },
  php: {
    "a variable of a function": "<?php $x = 1; function f() { $«x» = 2; return $«x»; } echo $x;",
    "a parameter, in text as well": '<?php function f($«x») { $this->x = $«x»; return "$«x» {$«x»} x"; }',
    "what a closure uses":
      "<?php function f($«x») { return function ($a) use ($«x») { return $«x» + $a; }; }",
    "nothing of a closure that does not use it":
      "<?php function f($«x») { $g = function () { $x = 1; return $x; }; return $«x»; }",
    "what an arrow function sees": "<?php function f($«x») { return fn($a) => $a + $«x»; }",
    "a parameter of an arrow function": "<?php function f($x) { $g = fn($«x») => $«x» + 1; return $x; }",
    "a global": "<?php $«x» = 1; function f() { global $«x»; $«x» = 2; } function g($x) { return $x; }",
    "loop variables":
      "<?php function f($a) { foreach ($a as $k => $«v») { echo $«v»->v; } return $«v»; } $v = 1;",
  },
  java: {
    "a parameter, not the field":
      "class A { int a; void f(int «a») { this.a = «a»; g(«a»); } int h() { return a; } }",
    "a local from where it stands": "class A { int a; void f() { g(a); int «a» = 1; g(«a»); } }",
    "a parameter of a lambda": "class A { void f() { g(«a» -> «a».a()); h((b, a) -> a); } }",
    "a loop variable": "class A { void f(L a) { for (X «b» : a.b) { g(«b»); } } int b; }",
    "a resource, not in what is caught":
      "class A { R r; void f() { try (R «r» = g()) { «r».r(); } catch (E e) { r.x(); } } }",
    "a caught error": "class A { void f() { try {} catch (E «e») { «e».e(); } } }",
    "a type parameter": "class A<«T»> { «T» a; List<«T»> f(«T» t) { return null; } <T> void g(T t) {} }",
    "a label": "class A { void f() { «a»: for (;;) { int a = 1; break «a»; } } }",
    "a class": "class «A» { «A»() {} static «A» f() { return new «A»(); } void g() { «A».f(); } }",
  },
};

describe.each(Object.entries(cases))("in %s", (language, sources) => {
  it.each(Object.entries(sources))("resolves %s", async (_, marked) => {
    const { shown } = await readMarked(language, marked);
    expect(shown).toBe(marked);
  });
});

describe("an occurrence that the text alone cannot resolve", () => {
  const unbound = async (language: string, text: string, name: string) =>
    (await occurrencesIn(language, text, name)).places.map((place) => place.unbound ?? place.binding);

  it("is reported as unresolved", async () => {
    expect(await unbound("typescript", "x.a = a; ({ a: 1 });", "a")).toEqual(["member", "outside", "member"]);
    expect(await unbound("python", "def f(a): pass\nf(a=1)\n", "a")).toEqual([0, "argument"]);
    expect(await unbound("kotlin", "fun f(a: Int) { f(a = 1) }", "a")).toEqual([0, "argument"]);
    expect(await unbound("bash", "x=1; read x; trap 'rm $x' EXIT; x=2 make; export x\n", "x")).toEqual([
      0,
      ...Array(4).fill("unclear"),
    ]);
    expect(await unbound("rust", "fn f(a: u8) { my!(a); }", "a")).toEqual([0, "unclear"]);
    expect(await unbound("c", "#define N (a + 1)\nint a;", "a")).toEqual(["unclear", 0]);
    expect(await unbound("c", "#define N a\n#if a > 1\nint a;\n#endif\n", "a")).toEqual([
      "unclear",
      "unclear",
      0,
    ]);
    expect(
      await unbound("java", "class A { void f(int a) { new B() { void g() { h(a); } }; } }", "a"),
    ).toEqual([0, "unclear"]);
    expect(
      await unbound("java", "class A { class B {} Object f() { return new A().new B(); } }", "B"),
    ).toEqual([0, "member"]);
    expect(await unbound("typescript", "export { a } from 'b';", "a")).toEqual(["foreign"]);
  });

  it("is found however deep it is nested in code that does not parse", async () => {
    const deep = `int a; int f() { return ${"(".repeat(3000)}a @ $${")".repeat(3000)}; }`;
    expect(await unbound("c", deep, "a")).toEqual([0, "unclear"]);
  });

  it.each(["(s)->b", "#b", "s.b", "b##1", "goto b", "struct b", "OTHER(s, b)"])(
    "is a name inside a C macro: %s",
    async (body) => {
      const macros = `#define OTHER(s, m) s.m\n#define M(s, b) ${body}\n`;
      expect(await unbound("c", `${macros}int f(int a) { return M(p, a) + g(a); }`, "a")).toEqual([
        0,
        "unclear",
        0,
      ]);
    },
  );

  it("is another spelling of a name, but not a mere look-alike", async () => {
    expect(await unbound("kotlin", "fun f(a: Int) = `a` + `a b`", "a")).toEqual([0, "unclear"]);
    expect(await unbound("c-sharp", "class A { int F(int a) { return @a; } }", "a")).toEqual([0, "unclear"]);
    expect(await unbound("rust", "fn f(a: u8) -> u8 { r#a }", "a")).toEqual([0, "unclear"]);
    expect(await unbound("rust", 'fn f(b: u8) -> u8 { g(b"b", b); b }', "b")).toEqual([0, 0, 0]);
    expect(
      await unbound("c-sharp", "#region a b\nclass A { int F(int a) { return a; } }\n#endregion a\n", "a"),
    ).toEqual([0, 0]);
    expect(await unbound("javascript", "class A { #a; f(a) { return a; } }", "a")).toEqual([0, 0]);
  });

  it("is in a function that the grammar could not parse", async () => {
    const broken = "int f(int a) { HANDLE(int, a) : { int a = 1; } return a; } int g(int a) { return a; }";
    expect(await occurrencesIn("c", broken, "a")).toMatchObject({
      places: [
        { role: "definition", unbound: "unclear" },
        { role: "reference", unbound: "unclear" },
        { role: "definition", unbound: "unclear" },
        { role: "reference", unbound: "unclear" },
        { role: "definition", binding: 0 },
        { role: "reference", binding: 0 },
      ],
    });
  });

  it("is a type parameter of a type declared in parts", async () => {
    expect(await unbound("typescript", "class A<T> { a: T }\ninterface A<T> { b: T }", "T")).toEqual([
      "unclear",
      "outside",
      "unclear",
      "outside",
    ]);
    expect(await unbound("typescript", "class A<T> { a: T }\ninterface AB<T> {}", "T")).toEqual([0, 0, 1]);
    expect(await unbound("c-sharp", "public partial class A<T> { T a; }", "T")).toEqual([
      "unclear",
      "outside",
    ]);
  });

  it("is a Rust pattern that has the name of a constant", async () => {
    expect(
      await unbound("rust", "const n: u8 = 1; fn f(v: u8) { match v { n => n, _ => 1 }; }", "n"),
    ).toEqual([0, "unclear", 1]);
    expect(await unbound("rust", "const n: u8 = 1; mod a { fn f() { let n = 1; } }", "n")).toEqual([0, 1]);
  });
});

describe("a language without scope rules", () => {
  it("finds names outside comments and strings", async () => {
    const { scoped, places } = await occurrencesIn("haskell", 'f a = a -- a\ng = "a"\n', "a");
    expect({ scoped, places }).toEqual({
      scoped: false,
      places: [
        { start: 2, end: 3, line: 1, column: 3, role: "reference", binding: undefined },
        { start: 6, end: 7, line: 1, column: 7, role: "reference", binding: undefined },
      ],
    });
  });
});
