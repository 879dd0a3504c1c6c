import { Button, Group, Modal, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { SaveButtons } from '../../parts/save-buttons.tsx';
import { Failed, FailedAction, WaitingRows } from '../../parts/states.tsx';
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
  if (asked.isPending) return <WaitingRows rows={3} />;
  if (!asked.data) return <Failed error={asked.error} onRetry={() => asked.refetch()} />;
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
  const save = async (body: components['schemas']['ReminderTextChange']) => {
    await change.mutateAsync({ params, body });
    await queries.invalidateQueries();
    notify(s('saved'));
  };
  const saving = useAction(() => save(typed));
  const restoring = useAction(() => save({ Subject: null, Intro: null, Closing: null }));
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void saving.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput {...field('Subject')} maxLength={200} />
        <Textarea {...field('Intro')} maxLength={1000} autosize minRows={2} />
        <Textarea {...field('Closing')} maxLength={1000} autosize minRows={2} />
        <FailedAction error={saving.error ?? previewing.error ?? restoring.error} />
        <Group>
          <SaveButtons
            texts={{ save: t('saveWords'), undo: s('undo'), notAllowed: s('notAllowed') }}
            isAllowed={isAllowed}
            isChanged={isChanged}
            isRunning={saving.isRunning}
            onUndo={() => setTyped(before)}
          />
          {isAllowed && (
            <Button variant="default" loading={previewing.isRunning} onClick={() => void previewing.run()}>
              {t('preview')}
            </Button>
          )}
          {isAllowed && !IsStandard && (
            <Button variant="subtle" loading={restoring.isRunning} onClick={() => void restoring.run()}>
              {t('restore')}
            </Button>
          )}
        </Group>
      </Stack>
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
      <LeaveGuard isOn={isChanged && !saving.isRunning} text={s('leaveText')} />
    </form>
  );
}
