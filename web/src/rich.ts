// Sentences with emphasised parts, without markup in the dictionaries.
export interface Strong {
  strong: string;
}
export type Rich = (string | Strong)[];

export const strong = (text: string): Strong => ({ strong: text });

/** rich`${name} costs ${strong('0.5')}` */
export function rich(strings: TemplateStringsArray, ...values: (string | Strong | Rich)[]): Rich {
  return strings.flatMap((text, index): Rich => {
    const value = values[index];
    if (value === undefined) return [text];
    return Array.isArray(value) ? [text, ...value] : [text, value];
  });
}

/** Names in a row: "A, B and C" with the language's own joints. */
export function listed(names: readonly string[], comma: string, and: string): Rich {
  return names.flatMap((name, index): Rich => {
    const joint = index === 0 ? [] : [index === names.length - 1 ? and : comma];
    return [...joint, strong(name)];
  });
}
