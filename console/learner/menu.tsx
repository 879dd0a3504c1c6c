import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

type MenuProps = { label: ReactNode; description?: string; className?: string; children: ReactNode };

const itemsIn = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')];

/** A button with a menu. The browser closes the menu on Escape, and on a click elsewhere. */
export function Menu({ label, description, className = 'button quiet', children }: MenuProps) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const items = itemsIn(event.currentTarget);
    const here = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: -1 }[event.key];
    if (event.key === 'Tab') event.currentTarget.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    items.at(next % items.length)?.focus();
  };
  const onToggle = (open: boolean) => {
    setOpen(open);
    if (!open || !menu.current || !button.current) return;
    const { bottom, right, left } = button.current.getBoundingClientRect();
    const { style } = menu.current;
    const isRtl = document.dir === 'rtl';
    const { clientWidth } = document.documentElement;
    const end = isRtl ? left : clientWidth - right;
    style.insetBlockStart = `${Math.min(bottom + 4, innerHeight - menu.current.offsetHeight - 8)}px`;
    style.insetInlineEnd = `${Math.max(8, Math.min(end, clientWidth - menu.current.offsetWidth - 8))}px`;
    itemsIn(menu.current)[0]?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        {...(description && { 'aria-label': description })}
      >
        {label}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        {...(description ? { 'aria-label': description } : { 'aria-labelledby': id })}
        className="menu"
        onKeyDown={onKeyDown}
        onToggle={(event) => onToggle(event.newState === 'open')}
        onClick={(event) => event.currentTarget.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}
