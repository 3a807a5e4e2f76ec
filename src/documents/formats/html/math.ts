import { type Element, findElement, textOf } from "./element.ts";

/** A formula, in the words of TeX where the page has them. */
export function formula(element: Element): string {
  const tex = (texOf(element) ?? textOf(element)).replace(/\s+/g, " ").trim();
  if (tex === "") return "";
  return isDisplayed(element) ? `$$${tex}$$` : `$${tex}$`;
}

function texOf(element: Element): string | undefined {
  if (element.attributes.alttext !== undefined) return element.attributes.alttext;
  const annotation = findElement(
    element,
    ({ name, attributes }) => name === "annotation" && (attributes.encoding ?? "").includes("tex"),
  );
  return annotation && textOf(annotation);
}

function isDisplayed({ attributes }: Element): boolean {
  return attributes.display === "block" || (attributes.type ?? "").includes("mode=display");
}
