import './bulk.css';
import { Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useFilters } from '../../parts/filters.tsx';
import { Message } from '../../parts/states.tsx';
import { BackLink, Undo } from './undo.tsx';
import { useCreated } from './use-created.ts';

/** A page whose enrolments can be undone. If the URL names some, the undo is shown instead, and the result is kept. */
export function WithUndo({ children }: { children: ReactNode }) {
  const [{ undo }] = useFilters(['undo']);
  const content = useRef<HTMLDivElement>(null);
  const previous = useRef(undo);
  useEffect(() => {
    // The focused link has disappeared.
    if (previous.current !== undefined && undo === undefined) content.current?.focus();
    previous.current = undo;
  }, [undo]);
  return (
    <>
      {undo !== undefined && <UndoById key={undo} id={undo} />}
      <Stack gap="lg" hidden={undo !== undefined} ref={content} tabIndex={-1} className="behind-undo">
        {children}
      </Stack>
    </>
  );
}

function UndoById({ id }: { id: string }) {
  const t = useTranslations('bulk.undo');
  const current = useCreated().find((one) => one.id === id);
  // The result stays on the page when nothing is left to undo or the hour is over.
  const [first] = useState(current);
  const undone = current ?? first;
  if (undone) return <Undo undone={undone} isAvailable={current !== undefined} />;
  return (
    <Message title={t('gone')} text={t('goneText')}>
      <BackLink />
    </Message>
  );
}
