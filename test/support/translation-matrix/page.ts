import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../../src/conversation/protocol-name.ts";
import { RESPONSE_SECTIONS } from "./answer-rows.ts";
import { requestCell, responseCell } from "./cells.ts";
import { REQUEST_SECTIONS } from "./request-rows.ts";
import type { Section } from "./row.ts";

export const PAGE = fileURLToPath(new URL("../../../docs/translation.md", import.meta.url));

/** The page with its tables as the codecs have them now; what stands outside the marks stays. */
export function pageWithTables(): string {
  const page = readFileSync(PAGE, "utf8");
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start === -1 || end === -1) throw new Error(`docs/translation.md lost its marks ${BEGIN} and ${END}`);
  return `${page.slice(0, start + BEGIN.length)}\n\n${tables()}\n\n${page.slice(end)}`;
}

/** Every cell of every table with its place, for a test to look through. */
export function allCells(): readonly { readonly place: string; readonly cell: string }[] {
  return CHAT_PROTOCOLS.flatMap((client) => [
    ...cellsOf(REQUEST_SECTIONS, client, (row, upstream) => requestCell(row, client, upstream)),
    ...cellsOf(RESPONSE_SECTIONS, client, (row, upstream) => responseCell(row, client, upstream)),
  ]);
}

function cellsOf<Row extends { readonly title: string }>(
  sections: readonly Section<Row>[],
  client: ChatProtocol,
  cellAt: (row: Row, upstream: ChatProtocol) => string,
) {
  return sections.flatMap(({ rows }) =>
    rows.flatMap((row) =>
      CHAT_PROTOCOLS.map((upstream) => ({
        place: `${row.title}: ${client} and ${upstream}`,
        cell: cellAt(row, upstream),
      })),
    ),
  );
}

function tables(): string {
  return CHAT_PROTOCOLS.flatMap((client) => [
    `### Callers of ${NAMES[client]}`,
    table(REQUEST_SECTIONS, client, "Request", (row, upstream) => requestCell(row, client, upstream)),
    table(RESPONSE_SECTIONS, client, "Response", (row, upstream) => responseCell(row, client, upstream)),
  ]).join("\n\n");
}

/** Rows that no upstream has a cell for are none. */
function table<Row extends { readonly title: string }>(
  sections: readonly Section<Row>[],
  client: ChatProtocol,
  title: string,
  cellAt: (row: Row, upstream: ChatProtocol) => string,
): string {
  const upstreams = CHAT_PROTOCOLS.map((upstream) => `${NAMES[upstream]}${upstream === client ? "\\*" : ""}`);
  const lines = sections.flatMap(({ title: section, rows }) => {
    const found = rows
      .map((row) => [row.title, ...CHAT_PROTOCOLS.map((upstream) => cellAt(row, upstream))])
      .filter(([, ...cells]) => cells.some((cell) => cell !== "-"));
    return found.length === 0 ? [] : [[`**${section}**`, "", "", "", ""], ...found];
  });
  return [[title, ...upstreams], ["-", "-", "-", "-", "-"], ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`.replaceAll(/ {2,}/g, " "))
    .join("\n");
}

const NAMES: Readonly<Record<ChatProtocol, string>> = {
  "chat-completions": "chat completions",
  responses: "responses",
  messages: "messages",
  "generate-content": "generateContent",
};

const BEGIN = "<!-- tables: npm run docs:matrix -->";
const END = "<!-- end of tables -->";
