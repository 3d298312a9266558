const HUES = 15;

/**
 * The colour of a name: the same model has the same colour in every chart. One of thirty, fifteen hues in two
 * strengths, so that a handful of names rarely meets twice. A CSS value, for both themes.
 */
export function seriesColour(name: string): string {
  let hash = 0x811c9dc5;
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  // Names that differ in a letter or two must not lie side by side.
  hash = Math.imul(hash ^ (hash >>> 15), 0x27d4eb2f);
  hash = (hash ^ (hash >>> 13)) >>> 0;
  const hue = (hash % HUES) * (360 / HUES);
  const isStrong = ((hash >>> 16) & 1) === 1;
  const [light, dark] = isStrong ? [0.47, 0.82] : [0.6, 0.68];
  return `light-dark(oklch(${light} 0.14 ${hue}), oklch(${dark} 0.12 ${hue}))`;
}

/** The present value of a CSS colour in this theme, for a canvas, which knows no variables. */
export function computedColour(colour: string, within: HTMLElement): string {
  const before = within.style.color;
  within.style.color = colour;
  const computed = getComputedStyle(within).color;
  within.style.color = before;
  return computed;
}
