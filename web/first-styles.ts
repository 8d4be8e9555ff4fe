/** Splits CSS into its top-level rules, each with everything nested in it. */
function rulesOf(css: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < css.length; at++) {
    const mark = css[at];
    if (mark === '{') depth++;
    else if (mark === '}') depth--;
    if (depth > 0 || (mark !== '}' && mark !== ';')) continue;
    rules.push(css.slice(start, at + 1));
    start = at + 1;
  }
  return rules;
}

const headOf = (rule: string) => rule.slice(0, rule.indexOf('{'));
const bodyOf = (rule: string) => rule.slice(rule.indexOf('{') + 1, -1);

/** The class a selector starts with, unescaped. */
function classOf(selector: string): string | undefined {
  return /^\.((?:\\.|[\w-])+)/.exec(selector)?.[1]?.replaceAll(/\\(.)/g, '$1');
}

/** Keeps only the parts of a rule that apply to `classes`; undefined if none are left. */
function restrictRule(rule: string, classes: ReadonlySet<string>): string {
  const head = headOf(rule);
  if (!head.startsWith('@')) {
    const name = classOf(head);
    return name === undefined || classes.has(name) ? rule : '';
  }
  const kept = rulesOf(bodyOf(rule)).map((inner) => restrictRule(inner, classes));
  return kept.some((inner) => inner !== '') ? `${head}{${kept.join('')}}` : '';
}

/** Class rules, needed only by elements that have the class. */
const isOfClasses = (rule: string) => /^@layer (utilities|components)\{/.test(rule);
/** Name of a registered custom property. Tailwind's initial value is needed wherever the property is used. */
const propertyOf = (rule: string) => /^@property (--[\w-]+)/.exec(rule)?.[1];
/** Fonts for other alphabets than Latin; browsers fetch them when such a letter appears. */
const isOtherAlphabet = (rule: string) =>
  rule.startsWith('@font-face') && /-(cyrillic|greek|vietnamese|\w+-ext)/.test(rule);

/**
 * Splits a style sheet into the rules that a page made of `text` needs, and the rest. The second part repeats all class
 * rules in order, because of two conflicting rules the later one wins.
 */
export function splitStyles(css: string, text: string): { first: string; later: string } {
  const classes = new Set(text.split(/[\s"'`{}]+/));
  const rules = rulesOf(css);
  const kept = rules
    .filter((rule) => !isOtherAlphabet(rule))
    .map((rule) => (isOfClasses(rule) ? restrictRule(rule, classes) : rule));
  const named = new Set(
    kept
      .join('')
      .match(/var\(--[\w-]+/g)
      ?.map((use) => use.slice('var('.length)),
  );
  const isNeeded = (rule: string) => {
    const property = propertyOf(rule);
    return property === undefined || named.has(property);
  };
  return {
    first: kept.filter(isNeeded).join(''),
    later: rules
      .filter((rule) => isOfClasses(rule) || isOtherAlphabet(rule) || propertyOf(rule) !== undefined)
      .join(''),
  };
}
