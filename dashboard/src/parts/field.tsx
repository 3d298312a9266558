import { type ComponentProps, createContext, type ReactNode, useContext, useId } from "react";
import type { ApiError } from "../api/api-error.ts";
import { Said } from "./failure.tsx";

interface FieldContext {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

const Context = createContext<FieldContext>({ id: "", describedBy: undefined, invalid: false });

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** The value's error; `faultOf(create.error, "name")`. */
  readonly error?: string | ApiError | undefined;
  readonly children: ReactNode;
  /** The label is said, not shown: where a row of filters explains itself. */
  readonly quiet?: boolean;
}

/** `<Field label={t.name} hint={t.nameHint} error={faultOf(error, "name")}><Input value={…} onChange={…} /></Field>` */
export function Field({ label, hint, error, children, quiet = false }: FieldProps): ReactNode {
  const id = useId();
  const note = typeof error === "object" ? <Said error={error} beside /> : (error ?? hint);
  return (
    <Context
      value={{ id, describedBy: note === undefined ? undefined : `${id}-note`, invalid: error !== undefined }}
    >
      <div className="flex min-w-0 flex-col gap-1">
        <label htmlFor={id} className={quiet ? "sr-only" : "text-sm font-medium"}>
          {label}
        </label>
        {children}
        {note !== undefined && (
          <p id={`${id}-note`} className={`text-sm ${error === undefined ? "text-mute" : "text-bad"}`}>
            {note}
          </p>
        )}
      </div>
    </Context>
  );
}

/** Within Field. */
export function Input(props: ComponentProps<"input">): ReactNode {
  const ref = props.autoFocus ? markFirst : undefined;
  return (
    <input ref={ref} {...useAttributes()} {...props} className={`${BOX} h-8 ${props.className ?? ""}`} />
  );
}

/** React focuses only what is shown by then; a dialog that opens after it looks for this attribute. */
function markFirst(box: HTMLInputElement | null): void {
  box?.setAttribute("autofocus", "");
}

/** Within Field. */
export function Textarea(props: ComponentProps<"textarea">): ReactNode {
  return (
    <textarea rows={4} {...useAttributes()} {...props} className={`${BOX} py-1.5 ${props.className ?? ""}`} />
  );
}

/** Within Field: `<Select value={…} onChange={…}><option value="a">A</option></Select>`; the browser's own, as it knows every device. */
export function Select(props: ComponentProps<"select">): ReactNode {
  return <select {...useAttributes()} {...props} className={`${BOX} h-8 ${props.className ?? ""}`} />;
}

/** A checkbox with its own label: `<Checkbox label={t.all} checked={…} onChange={…} />`. */
export function Checkbox({
  label,
  hint,
  ...rest
}: ComponentProps<"input"> & { readonly label: ReactNode; readonly hint?: ReactNode }): ReactNode {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        type="checkbox"
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-mute">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

export function useAttributes() {
  const { id, describedBy, invalid } = useContext(Context);
  return { id, "aria-describedby": describedBy, "aria-invalid": invalid || undefined };
}

const BOX =
  "w-full min-w-0 rounded-md border border-edge bg-paper px-2 text-ink aria-invalid:border-bad disabled:bg-shade disabled:text-mute";
