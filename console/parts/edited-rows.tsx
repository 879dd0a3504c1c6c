import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmButton } from './action.tsx';
import { Section } from './section.tsx';
import { Message, Unready } from './states.tsx';

type Asked<T> = {
  isPending: boolean;
  data: { Items: T[] } | undefined;
  error: unknown;
  refetch: () => unknown;
};

type Texts = Record<'title' | 'text' | 'add' | 'emptyTitle', string> & { emptyText?: string };

/** A section with a few rows, which are added and changed in a dialog. */
export function EditedRows<T>({
  asked,
  texts,
  icon,
  row,
  dialog,
  children,
}: {
  asked: Asked<T>;
  texts: Texts;
  icon?: ReactNode;
  row: (one: T, onEdit: () => void) => ReactNode;
  /** Gets the row, null for a new one, and whether the dialog is open. */
  dialog: (one: T | null, isOpen: boolean, onClose: () => void) => ReactNode;
  children?: ReactNode;
}) {
  const [edited, setEdited] = useState<{ one: T | null } | null>(null);
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited({ one: null })}>
      {texts.add}
    </Button>
  );
  const content = () => {
    if (!asked.data) return <Unready query={asked} rows={2} />;
    if (asked.data.Items.length > 0) return asked.data.Items.map((one) => row(one, () => setEdited({ one })));
    return (
      <Message icon={icon} title={texts.emptyTitle} text={texts.emptyText}>
        {add}
      </Message>
    );
  };
  return (
    <>
      <Section title={texts.title} text={texts.text} actions={asked.data?.Items.length ? add : null}>
        {content()}
        {children}
      </Section>
      {dialog(edited?.one ?? null, edited !== null, () => setEdited(null))}
    </>
  );
}

type Actions = {
  onEdit?: () => void;
  remove: () => Promise<unknown>;
  texts: (name: 'change' | 'delete' | 'deleteTitle' | 'deleteText') => string;
};

/** The buttons that change and delete a row. */
export function RowButtons({ onEdit, remove, texts: t }: Actions) {
  const queries = useQueryClient();
  return (
    <>
      {onEdit && (
        <Button variant="default" onClick={onEdit}>
          {t('change')}
        </Button>
      )}
      <ConfirmButton
        text={t('delete')}
        title={t('deleteTitle')}
        question={t('deleteText')}
        confirm={t('delete')}
        isDangerous
        act={async () => {
          await remove();
          await queries.invalidateQueries();
        }}
      />
    </>
  );
}
