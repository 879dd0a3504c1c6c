import '@mantine/dropzone/styles.layer.css';
import { Button, Group, Stack, Text } from '@mantine/core';
import { Dropzone, type FileRejection } from '@mantine/dropzone';
import { IconPackageImport } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { accepted } from './file-types.ts';

type PackageDropProps = {
  text: string;
  /** What will happen to the files. */
  hint: string;
  isMultiple?: boolean;
  /** As high as a button, with the hint as a tooltip. */
  isCompact?: boolean;
  onFiles: (files: File[]) => void;
};

/** Accepts packages, PDFs, videos, audio files and pages dropped anywhere on the page or chosen from a file dialog. */
export function PackageDrop({
  text,
  hint,
  isMultiple = false,
  isCompact = false,
  onFiles,
}: PackageDropProps) {
  const t = useTranslations('courses.import');
  const open = useRef<() => void>(null);
  const [refused, setRefused] = useState<string[]>([]);
  const dropping = {
    accept: accepted,
    multiple: isMultiple,
    onDrop: onFiles,
    onDropAny: (_: unknown, rejections: readonly FileRejection[]) =>
      setRefused(rejections.map(({ file }) => file.name)),
  };
  return (
    <>
      <Dropzone
        {...dropping}
        openRef={open}
        activateOnClick={false}
        activateOnKeyboard={false}
        enablePointerEvents
        aria-label={text}
        {...(isCompact ? { p: 2, ps: 'sm', title: hint } : { w: '100%' })}
      >
        <Group gap="md" justify="space-between">
          {isCompact ? (
            <Group gap="xs" wrap="nowrap">
              <IconPackageImport size={18} stroke={1.6} aria-hidden />
              <Text size="sm">{text}</Text>
            </Group>
          ) : (
            <Group gap="md" wrap="nowrap" flex="1 1 16rem">
              <IconPackageImport size={32} stroke={1.4} aria-hidden />
              <Stack gap={2}>
                <Text fw={600}>{text}</Text>
                <Text size="sm" c="dimmed">
                  {hint}
                </Text>
              </Stack>
            </Group>
          )}
          <Button
            variant="light"
            {...(isCompact && { size: 'compact-md', fz: 'sm' })}
            onClick={() => open.current?.()}
          >
            {t(isMultiple ? 'chooseMany' : 'choose')}
          </Button>
        </Group>
      </Dropzone>
      <Text c="red" size="sm" role="status" w="100%" hidden={refused.length === 0}>
        {t(isMultiple ? 'notZip' : 'notOneZip', { files: refused.join(', ') })}
      </Text>
      <Dropzone.FullScreen {...dropping} activateOnKeyboard={false} aria-hidden>
        <Stack align="center" justify="center" mih="80vh" gap="xs">
          <IconPackageImport size={64} stroke={1.2} aria-hidden />
          <Text size="xl" fw={600}>
            {text}
          </Text>
          <Text c="dimmed">{hint}</Text>
        </Stack>
      </Dropzone.FullScreen>
    </>
  );
}
