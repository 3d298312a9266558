import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useWords } from "../words/use-words.ts";
import { Button, IconButton } from "./button.tsx";
import { Failed } from "./failure.tsx";
import { Field, Input } from "./field.tsx";
import { partsWords } from "./words.ts";

interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Wide: for forms of two columns and for tables. */
  readonly wide?: boolean;
}

/** Within a dialog: what is told of something that is shown there only once. */
const ShownOnce = createContext<(isShown: boolean) => void>(() => undefined);

/** Has the dialog around it ask once more before Escape or its cross takes away what nobody will see again. */
export function useShownOnce(): void {
  const tell = useContext(ShownOnce);
  useEffect(() => {
    tell(true);
    return () => tell(false);
  }, [tell]);
}

/** `<Dialog open={open} title={t.create} onClose={close}>…</Dialog>`: the browser's own, so focus stays in it and Escape closes it. */
export function Dialog({ open, title, onClose, children, wide = false }: DialogProps): ReactNode {
  const t = useWords(partsWords);
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [shownOnce, setShownOnce] = useState(false);
  const [asked, setAsked] = useState(false);
  const leave = (): void => {
    if (shownOnce && !asked) setAsked(true);
    else onClose();
  };
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (open && !dialog?.open) dialog?.showModal();
    // Closed also where the page takes it away while it is open: only then does the focus return to where it was.
    return () => dialog?.close();
  }, [open]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        // The browser's own way out asks nobody.
        if (event.key !== "Escape" || event.defaultPrevented || !shownOnce) return;
        event.preventDefault();
        leave();
      }}
      onClose={(event) => event.target === ref.current && !ref.current.open && onClose()}
      className={`m-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] overflow-y-auto rounded-md border border-line bg-paper text-ink backdrop:bg-veil ${wide ? "max-w-3xl" : "max-w-lg"}`}
    >
      {open && (
        <>
          <header className="flex items-center justify-between gap-4 border-b border-line py-2 pr-2 pl-6">
            <h2 id={titleId} className="min-w-0 text-lg font-semibold break-words">
              {title}
            </h2>
            <IconButton icon="close" label={t.close} onClick={leave} />
          </header>
          <div className="flex flex-col gap-4 p-6">
            <ShownOnce value={setShownOnce}>{children}</ShownOnce>
            {shownOnce && asked && (
              <p role="alert" className="text-bad">
                {t.closeOnce}
              </p>
            )}
          </div>
        </>
      )}
    </dialog>
  );
}

interface ConfirmProps {
  readonly open: boolean;
  readonly title: string;
  /** The things that will be gone or stop working, one sentence each: the reader must not have to guess. */
  readonly breaks: readonly ReactNode[];
  /** The verb on the button: "Revoke". */
  readonly confirm: string;
  /** Must be typed before the button works, for what cannot be undone. */
  readonly typed?: string;
  readonly busy?: boolean;
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** `<ConfirmDialog open title={t.revoke} breaks={[t.calls(12)]} confirm={t.revoke} onConfirm={…} onClose={…} />` */
export function ConfirmDialog({
  open,
  title,
  breaks,
  confirm,
  typed,
  busy = false,
  error,
  onConfirm,
  onClose,
}: ConfirmProps): ReactNode {
  const t = useWords(partsWords);
  const [text, setText] = useState("");
  return (
    <Dialog open={open} title={title} onClose={onClose}>
      <ul className="flex list-disc flex-col gap-1 pl-4">
        {breaks.map((sentence, index) => (
          <li key={index}>{sentence}</li>
        ))}
      </ul>
      {typed !== undefined && (
        <Field label={t.typeToConfirm(typed)}>
          <Input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
        </Field>
      )}
      {error != null && <Failed error={error} />}
      <DialogButtons>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button
          look="danger"
          busy={busy}
          disabled={typed !== undefined && text !== typed}
          onClick={onConfirm}
        >
          {confirm}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

interface FormProps {
  /** The verb on the button. */
  readonly submit: string;
  readonly busy: boolean;
  /** The error, unless a field shows it already. */
  readonly error: unknown;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** `<DialogForm submit={t.save} busy={save.isPending} error={…} onSubmit={() => save.mutate(…)} onClose={close}>fields</DialogForm>` */
export function DialogForm({ submit, busy, error, onSubmit, onClose, children }: FormProps): ReactNode {
  const t = useWords(partsWords);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {error != null && <Failed error={error} />}
      <DialogButtons>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button look="primary" type="submit" busy={busy}>
          {submit}
        </Button>
      </DialogButtons>
    </form>
  );
}

/** The row of buttons at a dialog's or form's end. */
export function DialogButtons({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="flex flex-wrap justify-end gap-2">{children}</div>;
}
