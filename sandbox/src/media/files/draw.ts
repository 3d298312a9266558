import { createSeeded } from "../../seeded.ts";
import { GLYPH_COLUMNS, GLYPH_ROWS, glyphOf } from "./glyphs.ts";

export interface Drawing {
  width: number;
  height: number;
  text: string;
  caption: string;
  seed: number;
  /** Share of the width that a bar at the lower edge takes; 0 = there is none. */
  bar?: number;
}

/** An image as its rows of colours, computed when they are asked for: no writer needs all pixels at once. */
export interface Image {
  width: number;
  height: number;
  /** From column 0 on, each until the next; neighbours differ. */
  row(y: number): readonly Stretch[];
}

/** Pixels of one colour side by side. */
export interface Stretch {
  from: number;
  /** 0xRRGGBB. */
  color: number;
}

/** Columns from `from` up to but without `to`. */
interface Span {
  from: number;
  to: number;
}

interface Disc {
  x: number;
  y: number;
  radius: number;
  color: number;
}

interface Line {
  text: string;
  left: number;
  top: number;
  /** Pixels of a point's side. */
  point: number;
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
const INK = 0xffffff;
/** The opacity of a disc over the shapes below it. */
const DISC_OPACITY = 0.25;

/** An image of exactly these pixels: two colours from the seed, discs, the text and a caption. */
export function drawPicture({ width, height, text, caption, seed, bar = 0 }: Drawing): Image {
  const seeded = createSeeded(seed);
  const hue = seeded.below(360);
  const [above, below] = [colorOf(hue, 0.45, 0.22), colorOf(hue + 60, 0.45, 0.36)];
  const short = Math.min(width, height);
  const discs = Array.from({ length: 5 }, () => {
    const [x, y, radius] = [seeded.below(width), seeded.below(height), short / 12 + seeded.below(short / 4)];
    return { x, y, radius, color: colorOf(hue + seeded.below(120), 0.6, 0.6) };
  });
  const lines = layOut({ width, height, text, caption });
  const barTop = height - Math.max(2, Math.floor(height / 90));
  return {
    width,
    height,
    row(y) {
      const ground = groundOf(mixed(above, below, y / height), discs, y, width);
      const ink = lines.flatMap((line) => inkOf(line, y));
      if (y >= barTop) ink.push({ from: 0, to: Math.floor(bar * width) });
      return inked(ground, ink, width);
    },
  };
}

/** Writes a row's colours, one a pixel, from a place on. */
export function paintRow(row: readonly Stretch[], width: number, colors: Uint32Array, at: number): void {
  row.forEach(({ from, color }, index) => {
    colors.fill(color, at + from, at + (row[index + 1]?.from ?? width));
  });
}

/** True if two rows show the same. */
export function sameRow(one: readonly Stretch[], other: readonly Stretch[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ from, color }, index) => from === other[index]?.from && color === other[index].color)
  );
}

/** A row before anything is written on it. */
function groundOf(sky: number, discs: readonly Disc[], y: number, width: number): Stretch[] {
  const crossed = discs.flatMap((disc) => {
    const half = Math.sqrt(Math.max(0, disc.radius ** 2 - (y + 0.5 - disc.y) ** 2));
    const [from, to] = [Math.max(0, Math.round(disc.x - half)), Math.min(width, Math.round(disc.x + half))];
    return from < to ? [{ from, to, color: disc.color }] : [];
  });
  const edges = new Set([0, ...crossed.flatMap(({ from, to }) => [from, to])].filter((edge) => edge < width));
  return [...edges]
    .sort((left, right) => left - right)
    .map((edge) => ({
      from: edge,
      color: crossed
        .filter(({ from, to }) => from <= edge && edge < to)
        .reduce((color, disc) => mixed(color, disc.color, DISC_OPACITY), sky),
    }));
}

/** The ground with what is written on it. */
function inked(ground: readonly Stretch[], ink: Span[], width: number): Stretch[] {
  const row: Stretch[] = [];
  const put = (from: number, color: number): void => {
    if (row.at(-1)?.color !== color) row.push({ from, color });
  };
  let next = 0;
  const putGround = (from: number, to: number): void => {
    if (from >= to) return;
    while ((ground[next + 1]?.from ?? width) <= from) next += 1;
    for (let index = next; (ground[index]?.from ?? width) < to; index += 1)
      put(Math.max(from, ground[index]?.from ?? 0), ground[index]?.color ?? 0);
  };
  let at = 0;
  for (const { from, to } of ink.sort((left, right) => left.from - right.from)) {
    const [start, end] = [Math.max(at, from), Math.min(width, to)];
    if (start >= end) continue;
    putGround(at, start);
    put(start, INK);
    at = end;
  }
  putGround(at, width);
  return row;
}

/** The parts of a row of the image that a line of text covers. */
function inkOf({ text, left, top, point }: Line, y: number): Span[] {
  const row = Math.floor((y - top) / point);
  if (row < 0 || row >= GLYPH_ROWS) return [];
  return [...text].flatMap((character, index) =>
    glyphOf(character).flatMap((run) => {
      const from = left + (index * ADVANCE + run.column) * point;
      return run.row === row ? [{ from, to: from + run.length * point }] : [];
    }),
  );
}

/** The positions of the text and the caption. */
function layOut({ width, height, text, caption }: Omit<Drawing, "seed">): Line[] {
  const margin = Math.round(Math.min(width, height) * MARGIN);
  const room = { width: width - 2 * margin, height: (height - 2 * margin) * TEXT_SHARE };
  const { lines, point } = fitted(text, room);
  const share = Math.min(point, room.width / (ADVANCE * caption.length));
  const captionPoint = Math.max(1, Math.floor(share * 0.8));
  const captionTop = height - margin - GLYPH_ROWS * captionPoint;
  return [
    ...lines.map((line, index) => ({ text: line, left: margin, top: margin + index * LINE * point, point })),
    { text: caption, left: margin, top: captionTop, point: captionPoint },
  ];
}

/** Breaks a text into lines and finds the largest whole point size at which all of them fit. */
function fitted(text: string, room: { width: number; height: number }): { lines: string[]; point: number } {
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

/** The colour of a hue in degrees, a saturation and a lightness of 0 to 1, as CSS defines them. */
function colorOf(hue: number, saturation: number, lightness: number): number {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const place = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
  };
  return (channel(0) << 16) | (channel(8) << 8) | channel(4);
}

/** The colour `share` of the way from one to the other. */
function mixed(one: number, other: number, share: number): number {
  const channel = (shift: number): number => {
    const [from, to] = [(one >> shift) & 255, (other >> shift) & 255];
    return Math.round(from + (to - from) * share) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}
