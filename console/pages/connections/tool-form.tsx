import { Checkbox, Fieldset, NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { notify } from '../../parts/toast.tsx';
import { courseIdOf } from '../courses/course-name.ts';

export type Tool = components['schemas']['Tool'];

const empty = {
  Title: '',
  CourseID: '',
  LoginURL: '',
  TargetLinkURI: '',
  RedirectURIs: '',
  JWKSURL: '',
  PublicKey: '',
  Custom: '',
  name: false,
  email: false,
  OwnWindow: false,
  PassingScore: '' as number | string,
};
type Typed = typeof empty;

const linesOf = (custom: Tool['Custom']) =>
  Object.entries(custom)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

const typedOf = (tool: Tool): Typed => ({
  Title: tool.Title,
  CourseID: tool.CourseID,
  LoginURL: tool.LoginURL,
  TargetLinkURI: tool.TargetLinkURI,
  RedirectURIs: tool.RedirectURIs.join('\n'),
  JWKSURL: tool.JWKSURL ?? '',
  PublicKey: tool.PublicKey ?? '',
  Custom: linesOf(tool.Custom),
  name: tool.Shares.includes('name'),
  email: tool.Shares.includes('email'),
  OwnWindow: tool.OwnWindow,
  PassingScore: tool.PassingScore ?? '',
});

const words = (text: string) => text.split(/\s+/).filter(Boolean);

/** One `name=value` a line. */
const customOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );

function bodyOf({ name, email, ...typed }: Typed): components['schemas']['ToolChange'] {
  const redirects = words(typed.RedirectURIs);
  return {
    ...{ Title: typed.Title, LoginURL: typed.LoginURL, TargetLinkURI: typed.TargetLinkURI },
    ...(redirects.length > 0 && { RedirectURIs: redirects }),
    ...(typed.PublicKey === '' ? { JWKSURL: typed.JWKSURL } : { PublicKey: typed.PublicKey }),
    Custom: customOf(typed.Custom),
    Shares: [...(name ? (['name'] as const) : []), ...(email ? (['email'] as const) : [])],
    OwnWindow: typed.OwnWindow,
    PassingScore: typeof typed.PassingScore === 'number' ? typed.PassingScore : null,
  };
}

type Props = { tool: Tool | null; isOpen: boolean; onClose: () => void };

/** Makes a course of a tool, or changes it. */
export function ToolDialog({ tool, isOpen, onClose }: Props) {
  const t = useTranslations('platforms.tools');
  const { $api } = useApi();
  const queries = useQueryClient();
  const put = $api.useMutation('put', '/course/{CourseID}/tool');
  const initial = () => (tool ? typedOf(tool) : empty);
  const [typed, setTyped] = useFormState(isOpen, initial);
  const set = (change: Partial<Typed>) => setTyped((held) => ({ ...held, ...change }));
  const CourseID = typed.CourseID || (typed.Title && courseIdOf(typed.Title));
  const submit = async () => {
    await put.mutateAsync({ params: { path: { CourseID } }, body: bodyOf(typed) });
    await queries.invalidateQueries();
    notify(t('saved'));
  };
  type Line = 'Title' | 'CourseID' | 'LoginURL' | 'TargetLinkURI' | 'JWKSURL';
  const line = (name: Line, isRequired = true) => (
    <TextInput
      label={t(`fields.${name}`)}
      value={name === 'CourseID' ? CourseID : typed[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      autoCapitalize="none"
      spellCheck={false}
      required={isRequired}
      withAsterisk={false}
      disabled={name === 'CourseID' && tool !== null}
    />
  );
  const lines = (name: 'RedirectURIs' | 'PublicKey' | 'Custom') => (
    <Textarea
      label={t(`fields.${name}`)}
      description={t(`help.${name}`)}
      value={typed[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      autosize
      minRows={2}
      maxRows={6}
      spellCheck={false}
    />
  );
  const hasKeys = typed.JWKSURL !== '' || typed.PublicKey !== '';
  return (
    <FormDialog
      title={t(tool ? 'changeTitle' : 'addTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('save')}
      onSubmit={submit}
      isDirty={JSON.stringify(typed) !== JSON.stringify(initial())}
      isBlocked={[typed.Title, typed.LoginURL, typed.TargetLinkURI].includes('') || !hasKeys}
      size="lg"
    >
      {line('Title')}
      {line('CourseID')}
      {line('LoginURL')}
      {line('TargetLinkURI')}
      {lines('RedirectURIs')}
      {line('JWKSURL', false)}
      {typed.JWKSURL === '' && lines('PublicKey')}
      {lines('Custom')}
      <Fieldset legend={t('shares')} variant="unstyled">
        {(['name', 'email'] as const).map((name) => (
          <Checkbox
            key={name}
            mt="xs"
            label={t(name)}
            checked={typed[name]}
            onChange={(event) => set({ [name]: event.currentTarget.checked })}
          />
        ))}
      </Fieldset>
      <NumberInput
        label={t('fields.PassingScore')}
        description={t('help.PassingScore')}
        min={0}
        max={100}
        value={typed.PassingScore}
        onChange={(next) => set({ PassingScore: next })}
      />
      <Switch
        label={t('fields.OwnWindow')}
        description={t('help.OwnWindow')}
        checked={typed.OwnWindow}
        onChange={(event) => set({ OwnWindow: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
