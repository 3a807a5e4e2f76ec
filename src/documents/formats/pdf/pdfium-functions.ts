/** A pointer to an object in PDFium; 0 means none. */
export type Handle = number;

type Sides = [left: number, right: number, bottom: number, top: number];
type Corners = [left: number, top: number, right: number, bottom: number];
type Area = [left: number, top: number, width: number, height: number];
type Drawing = [...Area, rotate: number, flags: number];
type Text = (of: Handle, buffer: number, bytes: number) => number;

/** The functions of PDFium's C interface that Toolcrib uses (fpdf*.h). */
export interface Functions {
  malloc(bytes: number): number;
  free(address: number): void;
  setThrew(threw: number, value: number): void;
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(pointer: number): void;
  __wasm_call_ctors(): void;

  FPDF_InitLibrary(): void;
  FPDF_LoadMemDocument(address: number, bytes: number, password: number): Handle;
  FPDF_GetLastError(): number;
  FPDF_DocumentHasValidCrossReferenceTable(document: Handle): number;
  FPDF_GetSecurityHandlerRevision(document: Handle): number;
  FPDF_GetPageCount(document: Handle): number;
  FPDF_GetPageSizeByIndexF(document: Handle, index: number, size: number): number;
  FPDF_GetMetaText(document: Handle, key: number, buffer: number, bytes: number): number;
  FPDF_GetFormType(document: Handle): number;
  FPDF_GetSignatureCount(document: Handle): number;
  FPDFDoc_GetAttachmentCount(document: Handle): number;
  FPDFDoc_GetAttachment(document: Handle, index: number): Handle;
  FPDFAttachment_GetName: Text;

  FPDFBookmark_GetFirstChild(document: Handle, bookmark: Handle): Handle;
  FPDFBookmark_GetNextSibling(document: Handle, bookmark: Handle): Handle;
  FPDFBookmark_GetTitle: Text;
  FPDFBookmark_GetDest(document: Handle, bookmark: Handle): Handle;
  FPDFBookmark_GetAction(bookmark: Handle): Handle;
  FPDFAction_GetDest(document: Handle, action: Handle): Handle;
  FPDFAction_GetURIPath(document: Handle, action: Handle, buffer: number, bytes: number): number;
  FPDFDest_GetDestPageIndex(document: Handle, destination: Handle): number;

  FPDF_LoadPage(document: Handle, index: number): Handle;
  FPDF_ClosePage(page: Handle): void;
  FPDF_GetPageWidthF(page: Handle): number;
  FPDF_GetPageHeightF(page: Handle): number;
  FPDFPage_CountObjects(page: Handle): number;
  FPDFPage_GetObject(page: Handle, index: number): Handle;
  FPDFPageObj_GetType(object: Handle): number;
  FPDFImageObj_GetImagePixelSize(image: Handle, width: number, height: number): number;

  FPDFText_LoadPage(page: Handle): Handle;
  FPDFText_ClosePage(text: Handle): void;
  FPDFText_CountChars(text: Handle): number;
  FPDFText_GetText(text: Handle, start: number, count: number, buffer: number): number;
  FPDFText_GetUnicode(text: Handle, index: number): number;
  FPDFText_IsGenerated(text: Handle, index: number): number;
  FPDFText_HasUnicodeMapError(text: Handle, index: number): number;
  FPDFText_GetCharAngle(text: Handle, index: number): number;
  FPDFText_GetCharOrigin(text: Handle, index: number, x: number, y: number): number;
  FPDFText_GetFontSize(text: Handle, index: number): number;
  FPDFText_GetCharBox(text: Handle, index: number, ...into: Sides): number;
  FPDFText_GetLooseCharBox(text: Handle, index: number, rectangle: number): number;
  FPDFText_GetBoundedText(text: Handle, ...inside: [...Corners, buffer: number, characters: number]): number;

  FPDFLink_Enumerate(page: Handle, position: number, link: number): number;
  FPDFLink_GetAction(link: Handle): Handle;
  FPDFLink_GetAnnotRect(link: Handle, rectangle: number): number;

  FPDFPage_GetAnnotCount(page: Handle): number;
  FPDFPage_GetAnnot(page: Handle, index: number): Handle;
  FPDFPage_CloseAnnot(annotation: Handle): void;
  FPDFAnnot_GetSubtype(annotation: Handle): number;
  FPDFAnnot_GetStringValue(annotation: Handle, key: number, buffer: number, bytes: number): number;
  FPDFAnnot_GetFormFieldType(form: Handle, annotation: Handle): number;
  FPDFAnnot_GetFormFieldName(form: Handle, annotation: Handle, buffer: number, bytes: number): number;
  FPDFAnnot_GetFormFieldValue(form: Handle, annotation: Handle, buffer: number, bytes: number): number;
  FPDFDOC_InitFormFillEnvironment(document: Handle, information: number): Handle;

  FPDFBitmap_CreateEx(width: number, height: number, format: number, buffer: number, stride: number): Handle;
  FPDFBitmap_FillRect(bitmap: Handle, ...area: [...Area, color: number]): void;
  FPDFBitmap_GetBuffer(bitmap: Handle): number;
  FPDFBitmap_GetStride(bitmap: Handle): number;
  FPDFBitmap_Destroy(bitmap: Handle): void;
  FPDF_RenderPageBitmap(bitmap: Handle, page: Handle, ...how: Drawing): void;
  FPDF_FFLDraw(form: Handle, bitmap: Handle, page: Handle, ...how: Drawing): void;
}
