/** The sentences of `demo`, in English and Japanese. */

interface DemoRunIds {
  readonly hello: number;
  readonly report: number;
  readonly flaky: number;
  readonly broken: number;
  readonly hang: number;
}

export interface DemoMessages {
  readonly demoTour: (url: string, runs: DemoRunIds) => readonly string[];
  readonly demoBookings: (
    url: string,
    bookings: { readonly held: number; readonly paid: number; readonly refused: string },
  ) => readonly string[];
  readonly demoNoServer: (url: string) => string;
  readonly demoGoesOn: string;
  readonly demoEnded: string;
  readonly chaosNeedsSignals: string;
  readonly chaosHolds: (pid: number, token: number) => string;
  readonly chaosStops: (ttl: string) => string;
  readonly chaosTakesOver: (pid: number, token: number) => string;
  readonly chaosWakes: string;
  readonly chaosRefused: (token: number, fence: number, content: string) => string;
  readonly chaosMeaning: string;
  readonly chaosAccepted: (content: string) => string;
  readonly chaosFailed: (why: string) => string;
}

export const demoMessagesEn: DemoMessages = {
  demoTour: (url, { hello, report, flaky, broken, hang }) => [
    `Living examples, to look at on ${url} or here:`,
    '',
    `  kannuki runs show ${hello}      succeeds; one more every minute`,
    `  kannuki runs tail ${report}      a report with 20 pages; watch its log and progress`,
    `  kannuki runs show ${flaky}      fails twice, succeeds at the third attempt`,
    `  kannuki runs show ${broken}      fails for good; try: kannuki runs retry ${broken}`,
    `  kannuki runs show ${hang}      hangs, and is cancelled after 5 seconds`,
    '  kannuki runs --job demo.analysis   delivered twice, done once',
    `  kannuki leases --url ${url}   three want one printer and two render slots`,
    '  kannuki status         leader, workers, queue, what fails now',
    '  kannuki demo chaos     a worker that wakes up too late',
    '',
  ],
  demoBookings: (url, { held, paid, refused }) => [
    `Bookings in the sandbox, on ${url}/book and its Reservations page:`,
    '',
    `  reservation ${held}      kept and not paid: its 15 minutes run down, then the time is free again`,
    `  reservation ${paid}      paid in the sandbox: confirmed, rendered, mailed`,
    `  two at once         one got the time, the other was told: ${refused}`,
    '',
  ],
  demoNoServer: (url) => `no server answers at ${url}: start "kannuki serve" in another terminal to see it`,
  demoGoesOn: 'the demo goes on; Ctrl-C ends it',
  demoEnded: 'the demo has ended; its schedules are paused',
  chaosNeedsSignals: 'This needs SIGSTOP, which Windows does not have.',
  chaosHolds: (pid, token) =>
    `1. Worker A (process ${pid}) holds the lease "demo/chaos" with token ${token}. It has read the document and is about to write.`,
  chaosStops: (ttl) =>
    `2. It is stopped (SIGSTOP), as by a long pause of its machine. It cannot renew; its lease of ${ttl} runs out.`,
  chaosTakesOver: (pid, token) =>
    `3. Worker B (process ${pid}) was waiting. It gets the lease with token ${token}, claims the document and writes it.`,
  chaosWakes: '4. Worker A is woken (SIGCONT). It does not know that time has passed, and sends its write.',
  chaosRefused: (token, fence, content) =>
    `5. Refused: the write has token ${token}, the document has seen ${fence}. It still says "${content}".`,
  chaosMeaning: 'The lease alone could not have stopped that write; the fencing token did.',
  chaosAccepted: (content) =>
    `5. Accepted: without a fence the late write went through. The document now says "${content}", and the work of B is lost.`,
  chaosFailed: (why) => `The late write was not shown to be refused: ${why}`,
};

export const demoMessagesJa: DemoMessages = {
  demoTour: (url, { hello, report, flaky, broken, hang }) => [
    `動いている例です。${url} か、次のコマンドで見られます:`,
    '',
    `  kannuki runs show ${hello}      成功します。毎分もう一つ作られます`,
    `  kannuki runs tail ${report}      20 ページの報告書。ログと進み具合が見えます`,
    `  kannuki runs show ${flaky}      二度失敗し、三度目で成功します`,
    `  kannuki runs show ${broken}      最後まで失敗します。やり直し: kannuki runs retry ${broken}`,
    `  kannuki runs show ${hang}      止まったままになり、5 秒後に取り消されます`,
    '  kannuki runs --job demo.analysis   二度届き、一度だけ処理されます',
    `  kannuki leases --url ${url}   三者がプリンター一台とレンダー枠二つを取り合います`,
    '  kannuki status         リーダー、ワーカー、待ち行列、失敗中のもの',
    '  kannuki demo chaos     遅れて目を覚ますワーカー',
    '',
  ],
  demoBookings: (url, { held, paid, refused }) => [
    `サンドボックスの予約です。${url}/book と予約の画面で見られます:`,
    '',
    `  予約 ${held}      仮押さえのまま。15 分が過ぎると枠は空きます`,
    `  予約 ${paid}      サンドボックスで支払い済み。確定、レンダー、メールへ進みます`,
    `  同時に二人         一人が枠を得て、もう一人にはこう伝わりました: ${refused}`,
    '',
  ],
  demoNoServer: (url) => `${url} にサーバーがありません。別の端末で "kannuki serve" を起動すると画面で見られます`,
  demoGoesOn: 'デモは動き続けます。Ctrl-C で終わります',
  demoEnded: 'デモを終わりました。予定は停止してあります',
  chaosNeedsSignals: 'SIGSTOP が必要ですが、Windows にはありません。',
  chaosHolds: (pid, token) =>
    `1. ワーカー A（プロセス ${pid}）がリース "demo/chaos" をトークン ${token} で保持しています。文書を読み、これから書くところです。`,
  chaosStops: (ttl) =>
    `2. A を止めます（SIGSTOP）。機械の長い停止と同じです。更新できないまま、${ttl} のリースが切れます。`,
  chaosTakesOver: (pid, token) =>
    `3. 待っていたワーカー B（プロセス ${pid}）がトークン ${token} でリースを得て、文書を引き取り、書き込みます。`,
  chaosWakes: '4. A を起こします（SIGCONT）。A は時間が過ぎたことを知らず、書き込みを送ります。',
  chaosRefused: (token, fence, content) =>
    `5. 拒否されました。書き込みのトークンは ${token}、文書は ${fence} まで見ています。内容は "${content}" のままです。`,
  chaosMeaning: 'リースだけではこの書き込みを止められません。止めたのはフェンシングトークンです。',
  chaosAccepted: (content) =>
    `5. 受け入れられました。フェンスがないため遅れた書き込みが通り、文書は "${content}" になり、B の仕事は失われました。`,
  chaosFailed: (why) => `遅れた書き込みの拒否を示せませんでした: ${why}`,
};
