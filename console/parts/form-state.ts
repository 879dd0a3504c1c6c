import { useState } from 'react';

/** State of a dialog's form, reset each time the dialog opens. */
export function useFormState<Value>(isOpen: boolean, initial: () => Value) {
  const [value, setValue] = useState(initial);
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen);
    if (isOpen) setValue(initial());
  }
  return [value, setValue] as const;
}
