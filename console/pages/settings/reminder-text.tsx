import { Button, Modal, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { PageForm } from '../../parts/page-form.tsx';
import { Unready } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { languages } from './language-field.tsx';

type ReminderText = components['schemas']['ReminderText'];
type Language = ReminderText['Language'];

type Props = { language: Language; isAllowed: boolean };

/** The words of reminders in one language at a time, with a preview of the email. */
export function ReminderTexts({ language: mailLanguage, isAllowed }: Props) {
  const t = useTranslations('tenants');
  const { $api } = useApi();
  const [language, setLanguage] = useState(mailLanguage);
  const asked = $api.useQuery('get', '/reminder/text');
  if (!asked.data) return <Unready query={asked} rows={3} />;
  const text = asked.data.Items.find(({ Language }) => Language === language);
  return (
    <Stack maw={640}>
      <SegmentedControl
        aria-label={t('language')}
        value={language}
        onChange={(value) => setLanguage(choiceOf(languages, value) ?? language)}
        data={languages.map((value) => ({ value, label: t(`languages.${value}`) }))}
      />
      {text && <Words key={JSON.stringify(text)} text={text} isAllowed={isAllowed} />}
    </Stack>
  );
}

function Words({ text, isAllowed }: { text: ReminderText; isAllowed: boolean }) {
  const t = useTranslations('reminders');
  const s = useTranslations('settings');
  const { $api } = useApi();
  const queries = useQueryClient();
  const change = $api.useMutation('put', '/reminder/text/{Language}');
  const preview = $api.useMutation('post', '/reminder/text/{Language}/preview');
  const { Language, Subject, Intro, Closing, IsStandard } = text;
  const before = { Subject, Intro, Closing };
  const [typed, setTyped] = useState(before);
  const params = { path: { Language } };
  const restoring = useAction(async () => {
    await change.mutateAsync({ params, body: { Subject: null, Intro: null, Closing: null } });
    await queries.invalidateQueries();
    notify(s('saved'));
  });
  const previewing = useAction(() => preview.mutateAsync({ params, body: typed }));
  const isChanged = JSON.stringify(typed) !== JSON.stringify(before);
  const field = (name: keyof typeof before) => ({
    label: t(`words.${name}`),
    value: typed[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setTyped((held) => ({ ...held, [name]: value })),
    readOnly: !isAllowed,
    required: true,
    lang: Language,
  });
  return (
    <>
      <PageForm
        texts={(name) => (name === 'save' ? t('saveWords') : s(name))}
        isAllowed={isAllowed}
        isChanged={isChanged}
        save={() => change.mutateAsync({ params, body: typed })}
        onUndo={() => setTyped(before)}
        error={previewing.error ?? restoring.error}
        actions={
          isAllowed && (
            <>
              <Button variant="default" loading={previewing.isRunning} onClick={() => void previewing.run()}>
                {t('preview')}
              </Button>
              {!IsStandard && (
                <Button variant="subtle" loading={restoring.isRunning} onClick={() => void restoring.run()}>
                  {t('restore')}
                </Button>
              )}
            </>
          )
        }
      >
        <TextInput {...field('Subject')} maxLength={200} />
        <Textarea {...field('Intro')} maxLength={1000} autosize minRows={2} />
        <Textarea {...field('Closing')} maxLength={1000} autosize minRows={2} />
      </PageForm>
      <Modal
        opened={preview.data !== undefined}
        onClose={preview.reset}
        title={preview.data?.Subject}
        size="lg"
        closeButtonProps={{ 'aria-label': t('closePreview') }}
      >
        <Text className="break" style={{ whiteSpace: 'pre-wrap' }} lang={Language}>
          {preview.data?.Text}
        </Text>
      </Modal>
    </>
  );
}
