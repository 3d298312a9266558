/** The languages that e-mail is written in. */
export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What somebody is told, before it becomes text and HTML. */
export interface Words {
  readonly subject: string;
  /** Paragraphs. */
  readonly lines: readonly string[];
  /** Where to go on; absent = nowhere. */
  readonly link?: { readonly label: string; readonly url: string } | undefined;
}

/** An e-mail without its addresses. */
export interface MailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The same words as plain text and as simple HTML. */
export function writeMessage({ subject, lines, link }: Words, language: Language): MailMessage {
  const paragraphs = lines.map(oneLine);
  const html = paragraphs.map((line) => `<p>${escapeHtml(line)}</p>`);
  if (link !== undefined) {
    paragraphs.push(`${link.label}: ${link.url}`);
    html.push(`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`);
  }
  return {
    subject: shortened(oneLine(subject)),
    text: `${paragraphs.join("\n\n")}\n`,
    html: `<!doctype html><html lang="${language}"><body>${html.join("")}</body></html>\n`,
  };
}

/** Names come from people: a line break in one would begin a header, or a sentence that looks like ours. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}

/** Mail programs show some hundred characters; a header has limits that differ by server. */
function shortened(subject: string): string {
  const characters = [...subject];
  return characters.length <= MAX_SUBJECT ? subject : `${characters.slice(0, MAX_SUBJECT - 1).join("")}…`;
}

const MAX_SUBJECT = 150;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
