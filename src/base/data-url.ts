/** Whether a text is a data URL, whose scheme may be written in any case (RFC 3986), and what it holds is there. */
export function isDataUrl(text: string): boolean {
  return /^data:/i.test(text);
}
