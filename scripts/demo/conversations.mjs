/**
 * The conversations of the demo account, the oldest first. `daysAgo` and `at` are when they were held; each exchange is
 * a question with the answer that the simulator gives to it. The other fields are those of a simulator's script.
 */
export const conversations = [
  {
    daysAgo: 57,
    at: '09:12',
    title: 'A shorter return policy',
    assistant: 'Writing partner',
    exchanges: [
      {
        question:
          'Shorten this for the website: "Customers who for any reason are not satisfied with their purchase are entitled to return the purchased bike to us within a period of 30 days, provided that it has not been ridden for more than 50 kilometres."',
        answer: `> Not happy? Return your bike within **30 days**, with up to **50 km** on it. No reason needed.

From 38 words to 18. Two changes to check:

- *Entitled* and *provided that* are gone; the two limits say the same.
- "No reason needed" replaces "for any reason", and reads as an offer instead of a condition.`,
        rating: 'good',
      },
      {
        question: 'Friendlier, and say who pays the shipping.',
        answer: `> **Try it for 30 days.** If it is not your bike, we pick it up at our cost, as long as you have ridden no more than 50 km.

The promise comes first, the limit last. If pick-up is free only within Norway, add "in Norway" after *cost*.`,
        rating: 'good',
      },
    ],
  },
  {
    daysAgo: 50,
    at: '14:40',
    title: 'Review: a slow query of orders',
    assistant: 'Code reviewer',
    exchanges: [
      {
        question:
          "Why is this slow with 2 million rows?\n\n```sql\nSELECT * FROM orders\nWHERE date(created_at) = '2026-10-01'\nORDER BY created_at DESC;\n```",
        answer: `**Defect, line 2:** the function around \`created_at\` hides the column from its index, so every row is read.

Compare the column itself with a range:

\`\`\`sql
SELECT id, customer_id, total, created_at
FROM orders
WHERE created_at >= '2026-10-01'
  AND created_at <  '2026-10-02'
ORDER BY created_at DESC;
\`\`\`

| | Before | After |
|---|---:|---:|
| Rows read | 2,000,000 | 1,840 |
| Plan | sequential scan, sort | index scan, no sort |

**Line 1:** name the columns. \`SELECT *\` also fetches the notes, which are stored out of line.`,
        rating: 'good',
      },
    ],
  },
  {
    daysAgo: 43,
    at: '10:05',
    title: 'Garantie auf den Akku',
    assistant: 'Support desk',
    exchanges: [
      {
        question: 'Wie lange gilt die Garantie auf den Akku, und was ist ausgeschlossen?',
        answer: `Auf den Akku geben wir **drei Jahre** Garantie oder **500 volle Ladezyklen**, je nachdem, was zuerst erreicht ist. Er behält in dieser Zeit mindestens 70 % seiner Kapazität.

Ausgeschlossen sind:

1. Wasserschäden nach einem Hochdruckreiniger,
2. Ladegeräte anderer Hersteller,
3. Lagerung unter −20 °C.

Für den Antrag genügt die Rahmennummer; sie steht unter dem Tretlager.`,
        rating: 'good',
      },
    ],
  },
  {
    daysAgo: 36,
    at: '16:20',
    title: 'Orders by month',
    assistant: 'Data explainer',
    files: ['orders-2026.csv'],
    exchanges: [
      {
        question: 'Which month was best, and what does the curve say? Please draw it.',
        directives: '[[make orders-by-month.png orders-by-month.csv]]',
        code: `import pandas as pd

orders = pd.read_csv("orders-2026.csv", parse_dates=["date"])
by_month = orders.groupby(orders["date"].dt.to_period("M"))["total"].sum()
by_month.plot(kind="bar").figure.savefig("orders-by-month.png")
by_month.to_csv("orders-by-month.csv")
print(by_month.tail(3))`,
        logs: '2026-08    84210\n2026-09    76940\n2026-10    97380\n',
        answer: `**October was best: €97,380, 27 % above September.**

| Month | Orders | Revenue | Change |
|---|---:|---:|---:|
| August | 19 | €84,210 | +14 % |
| September | 17 | €76,940 | −9 % |
| October | 22 | €97,380 | +27 % |

The dip in September is one week without deliveries; without it the three months rise evenly.`,
        rating: 'good',
      },
    ],
  },
  {
    daysAgo: 29,
    at: '11:30',
    title: 'Correo: retraso de una entrega',
    model: 'gpt-6-luna',
    exchanges: [
      {
        question: 'Escribe un correo breve a un cliente: su bicicleta llega una semana tarde por la pintura.',
        answer: `**Asunto: Su Fjord Long llega una semana más tarde**

Hola, Marta:

La pintura de su bicicleta no pasó nuestro control, así que la repetimos. La entrega pasa del 6 al **13 de noviembre**.

Como disculpa, la bolsa delantera va por nuestra cuenta. Si prefiere otra fecha, responda a este correo y la cambiamos.

Un saludo,
Ada, de Fjord Cycles`,
        rating: 'good',
      },
      {
        question: 'Más formal, sin la disculpa de la bolsa.',
        answer: `**Asunto: Nueva fecha de entrega de su pedido**

Estimada señora Ruiz:

Le informamos de que la entrega de su bicicleta se aplaza del 6 al **13 de noviembre**, ya que el acabado no cumplió nuestro control de calidad.

Lamentamos las molestias y quedamos a su disposición.

Atentamente,
Fjord Cycles`,
      },
    ],
  },
  {
    daysAgo: 23,
    at: '09:45',
    title: 'Annonce : mécanicien à Lyon',
    assistant: 'Writing partner',
    exchanges: [
      {
        question: 'Rédige une petite annonce : nous cherchons une mécanicienne ou un mécanicien vélo à Lyon.',
        answer: `## Mécanicienne ou mécanicien vélo cargo (CDI, Lyon 7ᵉ)

Vous aimez les freins qui ne grincent pas et les clients qui reviennent ? Nous aussi.

- **Vous réparez** nos vélos cargo, du dévoilage de roue au diagnostic moteur.
- **Vous avez** deux ans d'atelier, ou un CAP et l'envie d'apprendre.
- **Nous offrons** 2 300 € brut, quatre jours par semaine, et un vélo.

Écrivez trois lignes à atelier@example.com, sans lettre de motivation.`,
        rating: 'good',
      },
    ],
  },
  {
    daysAgo: 18,
    at: '13:10',
    title: 'EU rules for e-bike batteries',
    assistant: 'Research scout',
    exchanges: [
      {
        question: 'What do the EU battery rules mean for our e-bikes, and by when?',
        directives: '[[web]]',
        webPages: [
          {
            url: 'https://eur-lex.europa.eu/eli/reg/2023/1542/oj',
            title: 'Regulation (EU) 2023/1542 on batteries and waste batteries',
          },
          {
            url: 'https://environment.ec.europa.eu/topics/waste-and-recycling/batteries_en',
            title: 'Batteries - European Commission',
          },
        ],
        answer: `E-bike batteries count as *light means of transport (LMT) batteries*. Two duties of Regulation (EU) 2023/1542 matter first:

| From | Duty |
|---|---|
| 18 February 2027 | each LMT battery has a **battery passport**, reached by a QR code |
| 18 February 2027 | an independent professional can **remove and replace** the battery and its cells |

For us that means a data sheet for every battery type, a QR code on the case, and a spare-parts list for five years after the last sale.`,
        rating: 'good',
      },
    ],
  },
  {
    daysAgo: 13,
    at: '15:25',
    title: 'A picture for the winter mailing',
    assistant: 'Picture maker',
    exchanges: [
      {
        question: 'Draw a cargo bike at the harbour on a winter evening, flat shapes, our blue.',
        directives: '[[picture]]',
        picture: 'cargo-bike.png',
        answer: `Here is the harbour in flat shapes, with your blue as the only strong color. The left third is empty, so that the headline fits there.

Shall I make a second one by daylight?`,
        rating: 'good',
      },
    ],
  },
  {
    daysAgo: 8,
    at: '08:50',
    title: 'カーゴバイクの説明文',
    model: 'gpt-6.1-sol',
    exchanges: [
      {
        question: '「Fjord Long」の商品説明を三行で書いてください。子ども二人と買い物を運べます。',
        answer: `**家族で出かける、いちばん静かな方法。**
子ども二人と一週間分の買い物を、低い荷台にまとめて載せられます。
一回の充電で約70km。坂道も、雨の朝も、いつもの速さで。`,
        rating: 'good',
      },
    ],
  },
  {
    daysAgo: 5,
    at: '12:15',
    title: 'دعوة إلى الورشة المفتوحة',
    assistant: 'Writing partner',
    exchanges: [
      {
        question: 'اكتب دعوة قصيرة إلى يوم مفتوح في الورشة يوم السبت.',
        answer: `## يوم مفتوح في الورشة

ندعوكم يوم **السبت من العاشرة صباحًا حتى الثالثة** إلى ورشة Fjord Cycles.

- جرّبوا دراجات الشحن الكهربائية بأنفسكم.
- نفحص الفرامل والإضاءة **مجانًا**.
- القهوة علينا، والأطفال على مقعد الشحن!

الدخول مفتوح للجميع، ولا حاجة إلى حجز.`,
      },
    ],
  },
];
