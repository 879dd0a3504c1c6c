import { Button, FileButton, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash, IconUpload } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { logoTypes, maxLogoBytes } from '../../../standards/logo.ts';
import { type LogoProblem, readLogoFile } from './logo-file.ts';

const pattern = /^#[0-9a-f]{6}$/i;

/** The colour if it is complete. Null if the field is empty. */
export function colourOf(typed: string): string | null | undefined {
  if (typed.trim() === '') return null;
  const colour = typed.trim().startsWith('#') ? typed.trim() : `#${typed.trim()}`;
  return pattern.test(colour) ? colour.toLowerCase() : undefined;
}

type ColourProps = { typed: string; isDisabled: boolean; onType: (typed: string) => void };

export function ColourField({ typed, isDisabled, onType }: ColourProps) {
  const t = useTranslations('branding');
  const colour = colourOf(typed);
  return (
    <TextInput
      label={t('colour')}
      description={t('colourText')}
      placeholder="#0057b8"
      maxLength={8}
      spellCheck={false}
      autoCapitalize="none"
      disabled={isDisabled}
      value={typed}
      onChange={(event) => onType(event.currentTarget.value)}
      error={colour === undefined && t('colourWrong')}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
      leftSectionPointerEvents="auto"
      leftSection={
        <input
          type="color"
          className="colour-well"
          aria-label={t('pickColour')}
          disabled={isDisabled}
          value={colour ?? '#3d4ed8'}
          onChange={(event) => onType(event.currentTarget.value)}
        />
      }
    />
  );
}

type LogoProps = { logo: string | null; isDisabled: boolean; onChange: (logo: string | null) => void };

export function LogoField({ logo, isDisabled, onChange }: LogoProps) {
  const t = useTranslations('branding');
  const [problem, setProblem] = useState<LogoProblem | null>(null);
  const reset = useRef<() => void>(null);
  const [labelId, textId] = [useId(), useId()];
  const choose = async (file: File | null) => {
    if (!file) return;
    const read = await readLogoFile(file);
    // So that the same file can be chosen again.
    reset.current?.();
    setProblem('problem' in read ? read.problem : null);
    if ('url' in read) onChange(read.url);
  };
  const remove = () => {
    setProblem(null);
    onChange(null);
  };
  return (
    <Stack gap="xs" role="group" aria-labelledby={labelId} aria-describedby={textId}>
      <div>
        <Input.Label labelElement="div" id={labelId}>
          {t('logo')}
        </Input.Label>
        <Input.Description id={textId}>{t('logoText', { size: maxLogoBytes / 1024 })}</Input.Description>
      </div>
      <div className="chosen-logo" {...(logo ? { 'data-has-logo': true } : {})}>
        {logo ? (
          <img src={logo} alt={t('currentLogo')} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('noLogo')}
          </Text>
        )}
      </div>
      <Group gap="xs">
        <FileButton accept={logoTypes.join(',')} onChange={choose} resetRef={reset} disabled={isDisabled}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconUpload size={16} aria-hidden />}
              disabled={isDisabled}
            >
              {t(logo ? 'replaceLogo' : 'chooseLogo')}
            </Button>
          )}
        </FileButton>
        {logo && (
          <Button
            variant="default"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={remove}
            disabled={isDisabled}
          >
            {t('removeLogo')}
          </Button>
        )}
      </Group>
      <Text c="red" size="sm" role="status" hidden={problem === null}>
        {problem && t(problem, { size: maxLogoBytes / 1024 })}
      </Text>
    </Stack>
  );
}
