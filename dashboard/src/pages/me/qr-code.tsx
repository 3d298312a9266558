import { type ReactNode, useMemo } from "react";
import { encode } from "uqr";

/** Light around a code, in modules, without which scanners do not find it. */
const QUIET = 4;

/** A text as an image for cameras. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { data, size } = useMemo(() => encode(text, { ecc: "M", border: QUIET }), [text]);
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    // Dark on light in both themes: few scanners know the opposite.
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      className="size-48"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
