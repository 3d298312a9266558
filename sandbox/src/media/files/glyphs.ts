/**
 * A pixel alphabet of 5 x 7 points, so that text is drawn on machines without any font, and alike on all.
 * Each sheet shows its characters side by side, six columns each.
 */
const SHEETS: readonly [characters: string, rows: string][] = [
  [
    "ABCDEFGHIJKLM",
    `
.###. ####. .###. ####. ##### ##### .###. #...# .###. ..### #...# #.... #...#
#...# #...# #...# #...# #.... #.... #...# #...# ..#.. ...#. #..#. #.... ##.##
#...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #.#.. #.... #.#.#
##### ####. #.... #...# ####. ####. #.### ##### ..#.. ...#. ##... #.... #.#.#
#...# #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #.#.. #.... #...#
#...# #...# #...# #...# #.... #.... #...# #...# ..#.. #..#. #..#. #.... #...#
#...# ####. .###. ####. ##### #.... .###. #...# .###. .##.. #...# ##### #...#`,
  ],
  [
    "NOPQRSTUVWXYZ",
    `
#...# .###. ####. .###. ####. .#### ##### #...# #...# #...# #...# #...# #####
##..# #...# #...# #...# #...# #.... ..#.. #...# #...# #...# #...# #...# ....#
#.#.# #...# #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#. .#.#. ...#.
#.#.# #...# ####. #...# ####. .###. ..#.. #...# #...# #.#.# ..#.. ..#.. ..#..
#..## #...# #.... #.#.# #.#.. ....# ..#.. #...# #...# #.#.# .#.#. ..#.. .#...
#...# #...# #.... #..#. #..#. ....# ..#.. #...# .#.#. ##.## #...# ..#.. #....
#...# .###. #.... .##.# #...# ####. ..#.. .###. ..#.. #...# #...# ..#.. #####`,
  ],
  [
    "0123456789.,:",
    `
.###. ..#.. .###. ##### ...#. ##### ..##. ##### .###. .###. ..... ..... .....
#...# .##.. #...# ...#. ..##. #.... .#... ....# #...# #...# ..... ..... ..#..
#..## ..#.. ....# ..#.. .#.#. ####. #.... ...#. #...# #...# ..... ..... ..#..
#.#.# ..#.. ...#. ...#. #..#. ....# ####. ..#.. .###. .#### ..... ..... .....
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....# ..... ..... .....
#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ...#. ..#.. ..#.. ..#..
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .##.. ..#.. .#... ..#..`,
  ],
  [
    "!?-+=/()'\"#%_",
    `
..#.. .###. ..... ..... ..... ....# ...#. .#... ..#.. .#.#. .#.#. ##..# .....
..#.. #...# ..... ..#.. ..... ....# ..#.. ..#.. ..#.. .#.#. .#.#. ##..# .....
..#.. ....# ..... ..#.. ##### ...#. .#... ...#. ..... ..... ##### ...#. .....
..#.. ...#. ##### ##### ..... ..#.. .#... ...#. ..... ..... .#.#. ..#.. .....
..#.. ..#.. ..... ..#.. ##### .#... .#... ...#. ..... ..... ##### .#... .....
..... ..... ..... ..#.. ..... #.... ..#.. ..#.. ..... ..... .#.#. #..## .....
..#.. ..#.. ..... ..... ..... #.... ...#. .#... ..... ..... .#.#. #..## #####`,
  ],
];

export const GLYPH_COLUMNS = 5;
export const GLYPH_ROWS = 7;

/** One run of set points in a row. */
export interface Run {
  column: number;
  row: number;
  length: number;
}

const GLYPHS: ReadonlyMap<string, readonly Run[]> = new Map(
  SHEETS.flatMap(([characters, sheet]) => {
    const rows = sheet.trim().split("\n");
    return [...characters].map((character, index) => [character, runsOf(rows, index)] as const);
  }),
);

/** The glyph of a character that the alphabet lacks: an empty box. */
const BOX: readonly Run[] = [0, 1, 2, 3, 4, 5, 6].flatMap((row) =>
  row % (GLYPH_ROWS - 1) === 0
    ? [{ column: 0, row, length: GLYPH_COLUMNS }]
    : [0, GLYPH_COLUMNS - 1].map((column) => ({ column, row, length: 1 })),
);

/** The points of a character, small letters as capitals. */
export function glyphOf(character: string): readonly Run[] {
  return character === " " ? [] : (GLYPHS.get(character.toUpperCase()) ?? BOX);
}

function runsOf(rows: readonly string[], index: number): Run[] {
  const start = index * (GLYPH_COLUMNS + 1);
  return rows.flatMap((points, row) =>
    [...points.slice(start, start + GLYPH_COLUMNS).matchAll(/#+/g)].map((found) => ({
      column: found.index,
      row,
      length: found[0].length,
    })),
  );
}
