/** What `document.read` reads better than `file.read`, by its name. */
export function isDocument(path: string): boolean {
  return /\.(?:pdf|ipynb|docx|xlsx|pptx|odt|ods|odp|epub|rtf)$/i.test(path);
}
