export interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly maxLength: number;
  readonly type?: 'text' | 'email';
  readonly autoComplete?: string;
  readonly inputMode?: 'numeric';
  readonly placeholder?: string;
  readonly full?: boolean;
  /** What is wrong with it, once that is worth saying. */
  readonly wrong?: string | undefined;
}

/** A labelled field that says what is wrong with it. */
export function Field(props: FieldProps) {
  const { id, label, help, value, onChange, maxLength, type = 'text', autoComplete = 'off', wrong } = props;
  const { inputMode, placeholder, full = false } = props;
  const describedBy = [wrong && `${id}-wrong`, help && `${id}-help`].filter(Boolean).join(' ');
  return (
    <div className={full ? 'field full' : 'field'}>
      <label htmlFor={id}>{label}</label>
      <input
        className="input"
        id={id}
        type={type}
        value={value}
        maxLength={maxLength}
        autoComplete={autoComplete}
        {...(inputMode && { inputMode })}
        {...(placeholder && { placeholder })}
        {...(wrong && { 'aria-invalid': true })}
        {...(describedBy && { 'aria-describedby': describedBy })}
        onChange={({ target }) => onChange(target.value)}
      />
      {wrong && (
        <span className="wrong" id={`${id}-wrong`}>
          {wrong}
        </span>
      )}
      {help && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  );
}
