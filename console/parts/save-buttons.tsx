import { Button, Group, Text } from '@mantine/core';

type Props = {
  texts: { save: string; undo: string; notAllowed: string };
  isAllowed: boolean;
  isChanged: boolean;
  isValid?: boolean;
  isRunning: boolean;
  onUndo: () => void;
};

/** The buttons of a form on a page, or the reason why the user cannot change it. */
export function SaveButtons({ texts, isAllowed, isChanged, isValid = true, isRunning, onUndo }: Props) {
  if (!isAllowed)
    return (
      <Text size="sm" c="dimmed">
        {texts.notAllowed}
      </Text>
    );
  return (
    <Group>
      <Button type="submit" loading={isRunning} disabled={!isChanged || !isValid}>
        {texts.save}
      </Button>
      {isChanged && (
        <Button variant="default" onClick={onUndo}>
          {texts.undo}
        </Button>
      )}
    </Group>
  );
}
