/** The rules of a text of CSS, each with all that is nested in it. */
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

/** The class that a rule is for, as it is written in the page. */
function classOf(selector: string): string | undefined {
  return /^\.((?:\\.|[\w-])+)/.exec(selector)?.[1]?.replaceAll(/\\(.)/g, '$1');
}

/** A rule without what is for other classes; nothing where nothing is left. */
function restrictRule(rule: string, classes: ReadonlySet<string>): string {
  const head = headOf(rule);
  if (!head.startsWith('@')) {
    const name = classOf(head);
    return name === undefined || classes.has(name) ? rule : '';
  }
  const kept = rulesOf(bodyOf(rule)).map((inner) => restrictRule(inner, classes));
  return kept.some((inner) => inner !== '') ? `${head}{${kept.join('')}}` : '';
}

/** Rules for classes: each is needed only by what has its class. */
const isOfClasses = (rule: string) => /^@layer (utilities|components)\{/.test(rule);
/** What a Tailwind property begins with is needed where the property is. */
const propertyOf = (rule: string) => /^@property (--[\w-]+)/.exec(rule)?.[1];
/** Text in Latin letters; a browser asks for the other alphabets when one of their letters is there. */
const isOtherAlphabet = (rule: string) =>
  rule.startsWith('@font-face') && /-(cyrillic|greek|vietnamese|\w+-ext)/.test(rule);

/**
 * Parts a style sheet in two: what a page that is made of `text` needs, and the rest. The second has all rules for classes
 * once more, in their order, since of two that contradict each other the one that stands later counts.
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
