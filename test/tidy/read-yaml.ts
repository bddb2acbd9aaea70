/**
 * The part of YAML that our files use: maps, lists, text, flow lists, comments, anchors and `<<`. Anything else is an
 * error with its line, so that a file we cannot read is never taken for one that is well.
 */
export type YamlValue = string | null | readonly YamlValue[] | YamlMap;
export interface YamlMap {
  readonly [key: string]: YamlValue;
}

interface Line {
  readonly indent: number;
  readonly text: string;
  readonly number: number;
}

export function readYaml(text: string): YamlValue {
  const lines = text.split('\n').flatMap((raw, at): readonly Line[] => {
    if (raw.includes('\t')) throw new Error(`line ${at + 1}: a tab`);
    const content = raw.replace(/(^|\s)#(?![^"]*"[^"]*$).*$/, '').trimEnd();
    return content.trim() === ''
      ? []
      : [{ indent: content.length - content.trimStart().length, text: content.trim(), number: at + 1 }];
  });
  const anchors = new Map<string, YamlValue>();
  let next = 0;

  function readBlock(indent: number): YamlValue {
    const line = lines[next];
    if (!line || line.indent < indent) return null;
    return line.text.startsWith('- ') || line.text === '-' ? readList(line.indent) : readMap(line.indent);
  }

  function readList(indent: number): readonly YamlValue[] {
    const items: YamlValue[] = [];
    for (let line = lines[next]; line && line.indent === indent && /^-( |$)/.test(line.text); line = lines[next]) {
      const rest = line.text.slice(2).trim();
      if (rest === '' || /^[\w.-]+:( |$)/.test(rest)) {
        // The item is a block of its own; a map may begin on the line of its dash.
        if (rest === '') next += 1;
        else lines[next] = { ...line, indent: indent + 2, text: rest };
        items.push(readBlock(indent + 1));
      } else {
        next += 1;
        items.push(readScalar(rest, line.number));
      }
    }
    return items;
  }

  function readMap(indent: number): YamlMap {
    const map: Record<string, YamlValue> = {};
    for (let line = lines[next]; line && line.indent >= indent; line = lines[next]) {
      const found = /^("[^"]*"|<<|[\w./-]+):(?: (.*))?$/.exec(line.text);
      if (line.indent !== indent || !found) throw new Error(`line ${line.number}: "${line.text}" is not understood`);
      const key = (found[1] ?? '').replaceAll('"', '');
      if (key in map) throw new Error(`line ${line.number}: "${key}" comes twice`);
      next += 1;
      const [, anchor, rest = ''] = /^(?:&(\w+))?\s*(.*)$/.exec(found[2]?.trim() ?? '') ?? [];
      const value = rest === '' ? readBlock(indent + 1) : readScalar(rest, line.number);
      if (anchor !== undefined) anchors.set(anchor, value);
      if (key === '<<') Object.assign(map, { ...(value as YamlMap), ...map });
      else map[key] = value;
    }
    return map;
  }

  function readScalar(text_: string, number: number): YamlValue {
    if (text_.startsWith('*')) {
      const value = anchors.get(text_.slice(1));
      if (value === undefined) throw new Error(`line ${number}: there is no anchor ${text_}`);
      return value;
    }
    if (text_.startsWith('[')) {
      if (!text_.endsWith(']')) throw new Error(`line ${number}: a list that does not end`);
      const items = text_.slice(1, -1).match(/"(?:[^"\\]|\\.)*"|[^,\s][^,]*/g) ?? [];
      return items.map((item) => unquote(item.trim(), number));
    }
    if (/^[{|>!&%@`]/.test(text_)) throw new Error(`line ${number}: "${text_}" is not understood`);
    return unquote(text_, number);
  }

  const value = readBlock(0);
  if (next < lines.length) throw new Error(`line ${lines[next]?.number}: wrong indentation`);
  return value;
}

function unquote(text: string, number: number): string {
  if (!text.startsWith('"')) {
    // What YAML would take for something else than text.
    if (/: |^(yes|no|on|off)$/i.test(text)) throw new Error(`line ${number}: put quotes around ${text}`);
    return text;
  }
  if (!/^"(?:[^"\\]|\\.)*"$/.test(text)) throw new Error(`line ${number}: a quote that does not end`);
  return JSON.parse(text) as string;
}
