import { describe, expect, it } from "vitest";
import { makeZip } from "../../../test/support/documents/make-zip.ts";
import { failureOf, readBytes } from "../../../test/support/documents/read-bytes.ts";
import { allText, sampleBytes } from "../../../test/support/documents/samples.ts";

describe("an OpenDocument text", () => {
  it("numbers list items as defined: formats, levels shown, starts, continued lists", async () => {
    const level = (at: number, format: string, more = "") =>
      `<text:list-level-style-number text:level="${at}" style:num-format="${format}" style:num-suffix="." ${more}/>`;
    const styles = `<office:automatic-styles><text:list-style style:name="L">${level(1, "I")}${level(2, "1", 'text:display-levels="2"')}</text:list-style></office:automatic-styles>`;
    const item = (text: string, more = "") =>
      `<text:list-item ${more}><text:p>${text}</text:p></text:list-item>`;
    const body = `<text:list xml:id="a" text:style-name="L">${item("one")}<text:list-item><text:p>two</text:p><text:p>more of two</text:p><text:list>${item("inner")}</text:list></text:list-item></text:list><text:p>between</text:p><text:list text:continue-list="a" text:style-name="L">${item("three")}${item("nine", 'text:start-value="9"')}</text:list><text:list text:style-name="L">${item("new")}</text:list><text:list>${item("dot")}</text:list>`;
    expect(await textOf(odt(body, styles))).toBe(
      "I. one\nII. two\n\nmore of two\n\n  II.1. inner\n\nbetween\n\nIII. three\nIX. nine\nI. new\n- dot",
    );
  });

  it("numbers headings by their outline, but not its title", async () => {
    const level = (at: number) =>
      `<text:outline-level-style text:level="${at}" style:num-format="1" text:display-levels="${at}"/>`;
    const styles = `<office:document-styles ${names}><office:styles><text:outline-style>${level(1)}${level(2)}</text:outline-style></office:styles></office:document-styles>`;
    const heading = (text: string, at: number, more = "") =>
      `<text:h text:outline-level="${at}" ${more}>${text}</text:h>`;
    const body = `<text:p text:style-name="Title">All of it</text:p>${heading("A", 1)}${heading("B", 2)}${heading("C", 2)}${heading("Free", 1, 'text:is-list-header="true"')}${heading("D", 1)}`;
    expect(await textOf(odt(body, "", { "styles.xml": styles }))).toBe(
      "# All of it\n\n# 1 A\n\n## 1.1 B\n\n## 1.2 C\n\n# Free\n\n# 2 D",
    );
  });

  it("keeps only spaces that are written explicitly", async () => {
    expect(await textOf(odt('<text:p> a \n  b<text:s text:c="3"/>c<text:span>d</text:span></text:p>'))).toBe(
      "a b   cd",
    );
  });

  it("keeps the layout of code: indentation and empty lines, without adding others", async () => {
    const style = (name: string, parent: string) =>
      `<style:style style:name="${name}" style:family="paragraph" style:parent-style-name="${parent}"/>`;
    const styles = `<office:automatic-styles>${style("P1", "Preformatted_20_Text")}${style("P2", "P1")}</office:automatic-styles>`;
    const line = (text: string, name = "P1") => `<text:p text:style-name="${name}">${text}</text:p>`;
    const body = `<text:p>Run:</text:p>${line("def f(x):")}${line('<text:s text:c="4"/>if x:')}${line('<text:s text:c="8"/>return', "P2")}${line("")}${line("f(1)")}<text:p><text:s text:c="2"/>Done</text:p>`;
    expect(await textOf(odt(body, styles))).toBe(
      "Run:\n\ndef f(x):\n    if x:\n        return\n\nf(1)\n\n  Done",
    );
  });

  it("shows equations as typed text, and names other objects", async () => {
    const object = (target: string) =>
      `<draw:frame><draw:object xlink:href="${target}"/><draw:image/></draw:frame>`;
    const body = `<text:p>${["./One", "Two/", "Three"].map(object).join(" and ")}</text:p>`;
    const math = (inside: string) => `<math xmlns="http://www.w3.org/1998/Math/MathML">${inside}</math>`;
    const power =
      "<semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow><annotation>E = m c^2</annotation></semantics>";
    const sum =
      "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover><mfrac><msqrt><msub><mi>x</mi><mi>i</mi></msub></msqrt><mrow><mn>2</mn><mi>a</mi></mrow></mfrac><mroot><mi>y</mi><mn>3</mn></mroot>";
    const bytes = odt(body, "", {
      "One/content.xml": math(power),
      "Two/content.xml": math(sum),
      "Three/content.xml": "<chart/>",
    });
    const { parts, notes } = await readBytes("x.odt", bytes);
    expect([parts, notes]).toEqual([
      [{ anchor: "", text: "E = m c^2 and ∑_(i = 0)^n (√(x_i))/(2 a) root(3, y) and" }],
      ["has 1 embedded object, not shown"],
    ]);
  });

  it("shows repeated cells and rows up to a limit, and empty ones once", async () => {
    const cell = (text: string, more = "") =>
      `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;
    const columns = (times: number) => `table:number-columns-repeated="${times}"`;
    const body = `<table:table><table:table-row>${cell("a", columns(2))}<table:table-cell ${columns(1_000_000)}/></table:table-row><table:table-row table:number-rows-repeated="1000000"><table:table-cell ${columns(1_000_000)}/></table:table-row><table:table-row table:number-rows-repeated="2">${cell("b")}</table:table-row></table:table>`;
    const { parts, notes } = await readBytes("x.odt", odt(body));
    expect([parts, notes]).toEqual([
      [{ anchor: "", text: "| a | a |\n|---|---|\n| | |\n| b | |\n| b | |" }],
      ["repeats 3 rows or cells more than 100 times, shown 100 times"],
    ]);
  });

  it("is refused when nested tables would multiply without end", async () => {
    const table = (inside: string): string =>
      `<table:table><table:table-row table:number-rows-repeated="100"><table:table-cell table:number-columns-repeated="100">${inside}</table:table-cell></table:table-row></table:table>`;
    const body = table(table(table(table("<text:p>words</text:p>"))));
    expect((await failureOf(readBytes("x.odt", odt(body))))[0]).toBe("too-large");
  });

  it("with a password is refused with that reason", async () => {
    const manifest =
      '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const bytes = odt("<text:p/>", "", { "META-INF/manifest.xml": manifest });
    expect(await failureOf(readBytes("x.odt", bytes))).toEqual([
      "unsupported",
      "x.odt is encrypted: it cannot be read without its password",
    ]);
  });

  it("is read or refused when cut or altered at any byte", { tags: "slow" }, async () => {
    const whole = sampleBytes("report.odt");
    for (let length = 0; length < whole.length; length += 149) {
      expect((await failureOf(readBytes("x.odt", whole.subarray(0, length))))[0]).toBe("unsupported");
      const changed = Buffer.from(whole);
      changed[length]! ^= 0x55;
      await readBytes("x.odt", changed).catch((error: { code?: string }) =>
        expect(error.code).toMatch(/^(?:unsupported|too-large)$/),
      );
    }
  });
});

const names = [
  ...["office", "text", "table", "style"].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  ),
  'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
  'xmlns:xlink="http://www.w3.org/1999/xlink"',
].join(" ");

function odt(body: string, styles = "", others: Readonly<Record<string, string>> = {}): Buffer {
  const content = `<office:document-content ${names}>${styles}<office:body><office:text>${body}</office:text></office:body></office:document-content>`;
  const parts = { "content.xml": content, ...others };
  return makeZip([
    { name: "mimetype", content: "application/vnd.oasis.opendocument.text", method: 0 },
    ...Object.entries(parts).map(([name, content]) => ({ name, content })),
  ]);
}

async function textOf(bytes: Buffer): Promise<string> {
  return allText(await readBytes("x.odt", bytes));
}
