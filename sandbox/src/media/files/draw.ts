import { createSeeded } from "../../seeded.ts";
import { GLYPH_COLUMNS, GLYPH_ROWS, glyphOf } from "./glyphs.ts";

export interface Drawing {
  width: number;
  height: number;
  text: string;
  caption: string;
  seed: number;
}

/** Columns from one character to the next, and rows from one line to the next, in points. */
const ADVANCE = GLYPH_COLUMNS + 1;
const LINE = GLYPH_ROWS + 3;
/** Share of a side that stays free around the text. */
const MARGIN = 0.06;
/** The longest line that still reads as a heading; a longer text gets smaller points instead. */
const MAX_LINE_CHARACTERS = 42;
/** Share of the height that the prompt may take. */
const TEXT_SHARE = 0.7;

/** An SVG of exactly these pixels: two colours from the seed, circles, the text and a caption. */
export function drawSvg({ width, height, text, caption, seed }: Drawing): string {
  const seeded = createSeeded(seed);
  const hue = seeded.below(360);
  const short = Math.min(width, height);
  const margin = Math.round(short * MARGIN);
  const circles = Array.from({ length: 5 }, () => {
    const [x, y, radius] = [seeded.below(width), seeded.below(height), short / 12 + seeded.below(short / 4)];
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="hsl(${(hue + seeded.below(120)) % 360},60%,60%)" fill-opacity="0.25"/>`;
  });
  const room = { width: width - 2 * margin, height: (height - 2 * margin) * TEXT_SHARE };
  const { lines, point } = layOut(text, room);
  const captionPoint = Math.max(
    1,
    Math.floor(Math.min(point, room.width / (ADVANCE * caption.length)) * 0.8),
  );
  const captionTop = height - margin - GLYPH_ROWS * captionPoint;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<defs><linearGradient id="sky" x2="1" y2="1"><stop stop-color="hsl(${hue},45%,22%)"/>`,
    `<stop offset="1" stop-color="hsl(${(hue + 60) % 360},45%,36%)"/></linearGradient></defs>`,
    '<rect width="100%" height="100%" fill="url(#sky)"/>',
    ...circles,
    ...lines.map((line, index) => drawLine(line, margin, margin + index * LINE * point, point)),
    drawLine(caption, margin, captionTop, captionPoint),
    "</svg>",
  ].join("");
}

/** Breaks a text into lines and finds the largest whole point size at which all of them fit. */
function layOut(text: string, room: { width: number; height: number }): { lines: string[]; point: number } {
  let lines: string[] = [];
  const most = Math.floor(room.width / (ADVANCE * Math.min(MAX_LINE_CHARACTERS, Math.max(text.length, 12))));
  for (let point = Math.max(1, most); point >= 1; point -= 1) {
    lines = brokenInto(text, Math.max(1, Math.floor(room.width / (ADVANCE * point))));
    if (lines.length * LINE * point <= room.height) return { lines, point };
  }
  return { lines: lines.slice(0, Math.floor(room.height / LINE)), point: 1 };
}

function brokenInto(text: string, characters: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const pieces =
      word.length > characters ? (word.match(new RegExp(`.{1,${characters}}`, "gu")) ?? []) : [word];
    for (const piece of pieces) {
      if (line !== "" && line.length + 1 + piece.length > characters) {
        lines.push(line);
        line = piece;
      } else line = line === "" ? piece : `${line} ${piece}`;
    }
  }
  return line === "" ? lines : [...lines, line];
}

/** One path for all points of a line; characters the alphabet lacks are left to whatever font there is. */
function drawLine(line: string, left: number, top: number, point: number): string {
  const path: string[] = [];
  const foreign: string[] = [];
  [...line].forEach((character, index) => {
    const x = left + index * ADVANCE * point;
    const runs = glyphOf(character);
    if (runs === undefined) foreign.push(drawForeign(character, x, top, point));
    for (const { column, row, length } of runs ?? []) {
      path.push(`M${x + column * point} ${top + row * point}h${length * point}v${point}h${-length * point}z`);
    }
  });
  return `<path fill="#fff" d="${path.join("")}"/>${foreign.join("")}`;
}

/** A box, and the character in it where the machine has a font for it. */
function drawForeign(character: string, x: number, top: number, point: number): string {
  const [wide, high] = [GLYPH_COLUMNS * point, GLYPH_ROWS * point];
  const box = `<rect x="${x}" y="${top}" width="${wide}" height="${high}" fill="none" stroke="#fff" stroke-opacity="0.3"/>`;
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return box;
  const code = character.codePointAt(0) ?? 0;
  return `${box}<text x="${x}" y="${top + high - point}" font-family="sans-serif" font-size="${high - point}" fill="#fff">&#${code};</text>`;
}
