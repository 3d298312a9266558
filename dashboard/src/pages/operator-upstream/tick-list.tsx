import type { ReactNode } from "react";
import { Checkbox } from "../../parts/field.tsx";

interface TickListProps {
  readonly legend: string;
  readonly hint: string;
  readonly options: readonly string[];
  /** Absent = an option is its own name. */
  readonly nameOf?: (option: string) => string;
  readonly ticked: readonly string[];
  readonly onChange: (ticked: readonly string[]) => void;
}

/** Several of a few, in the order of the options; what is ticked and no option any more can be taken away too. */
export function TickList({ legend, hint, options, nameOf, ticked, onChange }: TickListProps): ReactNode {
  const all = [...options, ...ticked.filter((each) => !options.includes(each))];
  const toggle = (option: string, on: boolean) =>
    onChange(all.filter((each) => (each === option ? on : ticked.includes(each))));
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="text-sm font-medium">{legend}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-1 pt-1">
        {all.map((option) => (
          <Checkbox
            key={option}
            label={nameOf?.(option) ?? option}
            checked={ticked.includes(option)}
            onChange={(event) => toggle(option, event.target.checked)}
          />
        ))}
      </div>
      <p className="text-sm text-mute">{hint}</p>
    </fieldset>
  );
}
