/**
 * A plug-in of Stryker that leaves texts with a space in them alone. It can only empty a text: an emptied sentence asks
 * for tests of wording, an emptied statement fails in every database test. Names of states, codes and fields have no
 * space and are changed. A template that decides something inside (`${a ? 'b' : c}`) is not left alone.
 */
const plain = new Set(['CallExpression', 'Identifier', 'MemberExpression', 'OptionalMemberExpression']);

function shouldIgnore({ node }) {
  if (node.type === 'StringLiteral') return isText([node.value]);
  if (node.type !== 'TemplateLiteral' || node.expressions.some(({ type }) => !plain.has(type))) return undefined;
  return isText(node.quasis.map(({ value }) => value.raw));
}

function isText(parts) {
  return parts.some((part) => part.includes(' ')) ? 'Wording is not behaviour.' : undefined;
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'texts', value: { shouldIgnore } }];
