/** Makes a PDF file of objects. Adds the catalogue as the first object; it refers to the second as the pages. */
export function makePdf(objects: readonly string[], catalogue = ""): Buffer {
  const all = [`<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`, ...objects];
  let file = "%PDF-1.7\n";
  const places = all.map((content, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${content}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const table = file.length;
  file += `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  return Buffer.from(
    `${file}trailer << /Size ${all.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`,
    "latin1",
  );
}

export function stream(content: string, more = ""): string {
  return `<< /Length ${content.length} ${more}>>\nstream\n${content}\nendstream`;
}
