import { DropdownMenu } from "radix-ui";
import { type ReactNode, useRef } from "react";

interface MenuItem {
  readonly title: ReactNode;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

/**
 * Actions behind one button: `<Menu items={[{ title: t.revoke, onSelect: … , danger: true }]}><IconButton … /></Menu>`.
 * Not modal, as locking the page's scroll would need a style that the page's policy forbids.
 */
export function Menu({
  items,
  children,
}: {
  readonly items: readonly MenuItem[];
  readonly children: ReactNode;
}): ReactNode {
  const chosen = useRef<() => void>(undefined);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          // Not before the focus is back on the button: a dialog gives it back to where it was when it opened.
          onCloseAutoFocus={() => {
            const act = chosen.current;
            chosen.current = undefined;
            setTimeout(() => act?.());
          }}
          className="z-30 max-h-[70dvh] min-w-40 overflow-y-auto rounded-md border border-line bg-paper py-1 shadow-lg"
        >
          {items.map(({ title, onSelect, danger = false, disabled = false }, index) => (
            <DropdownMenu.Item
              key={index}
              disabled={disabled}
              onSelect={() => {
                chosen.current = onSelect;
              }}
              className={`px-3 py-1.5 outline-none data-disabled:opacity-50 data-highlighted:bg-shade ${danger ? "text-bad" : ""}`}
            >
              {title}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
