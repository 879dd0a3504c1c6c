import { Button, FileButton, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash, IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { maxLogoBytes } from '../../../standards/logo.ts';
import { base64Of, type LogoProblem, readLogoFile } from '../branding/logo-file.ts';
import type { Rule } from './record.ts';

type Signature = Rule['Signatures'][number];
type Props = { signatures: Signature[]; onChange: (signatures: Signature[]) => void };

const max = 2;

/** Who signs the certificate, each with a picture of the signature. */
export function Signatures({ signatures, onChange }: Props) {
  const t = useTranslations('certificates.template');
  const change = (at: number, changed: Partial<Signature>) =>
    onChange(signatures.map((one, n) => (n === at ? { ...one, ...changed } : one)));
  return (
    <Stack gap="xs">
      <div>
        <Input.Label labelElement="div">{t('signatures')}</Input.Label>
        <Input.Description>{t('signaturesText')}</Input.Description>
      </div>
      {signatures.map((signature, n) => (
        <SignatureField
          // biome-ignore lint/suspicious/noArrayIndexKey: signatures have no ID, and are not reordered.
          key={n}
          number={n + 1}
          signature={signature}
          onChange={(changed) => change(n, changed)}
          onRemove={() => onChange(signatures.filter((_, at) => at !== n))}
        />
      ))}
      {signatures.length < max && (
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => onChange([...signatures, { Name: '', Role: null, Image: null }])}
          >
            {t('addSignature')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

type FieldProps = {
  number: number;
  signature: Signature;
  onChange: (changed: Partial<Signature>) => void;
  onRemove: () => void;
};

function SignatureField({ number, signature, onChange, onRemove }: FieldProps) {
  const t = useTranslations('certificates.template');
  const logos = useTranslations('branding');
  const [problem, setProblem] = useState<LogoProblem | null>(null);
  const reset = useRef<() => void>(null);
  const choose = async (file: File | null) => {
    if (!file) return;
    const read = await readLogoFile(file);
    reset.current?.();
    setProblem('problem' in read ? read.problem : null);
    if ('url' in read) onChange({ Image: base64Of(read.url) });
  };
  return (
    <Stack gap="xs" role="group" aria-label={t('signature', { number })}>
      <Group grow align="start">
        <TextInput
          label={t('signer')}
          required
          maxLength={100}
          value={signature.Name}
          onChange={(event) => onChange({ Name: event.currentTarget.value })}
        />
        <TextInput
          label={t('role')}
          maxLength={100}
          value={signature.Role ?? ''}
          onChange={(event) => onChange({ Role: event.currentTarget.value || null })}
        />
      </Group>
      <Group gap="xs">
        <FileButton accept="image/png,image/jpeg" onChange={choose} resetRef={reset}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={16} aria-hidden />}>
              {t(signature.Image === null ? 'choosePicture' : 'replacePicture')}
            </Button>
          )}
        </FileButton>
        {signature.Image !== null && (
          <Button variant="default" onClick={() => onChange({ Image: null })}>
            {t('removePicture')}
          </Button>
        )}
        <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={onRemove}>
          {t('removeSignature')}
        </Button>
      </Group>
      <Text c="red" size="sm" role="status" hidden={problem === null}>
        {problem && logos(problem, { size: maxLogoBytes / 1024 })}
      </Text>
    </Stack>
  );
}
