/** Pages of the size people write, in scripts whose words a browser finds by dictionary or from right to left. */

const CLAUSES: Record<string, string[]> = {
  chinese: ["清晨的港口还没有醒来", "渔夫把网放进小船", "孩子们沿着石阶跑下去", "风从北边的山口吹来", "老人记得每一盏灯的名字", "他们约定在桥头见面", "雨停以后街上很安静", "面包店的门已经打开", "信使把包裹交给管理员", "没有人知道钟为什么停了", "河水比去年高了一尺", "我们在地图上画了三个圈"],
  japanese: ["港の朝はまだ静かだった", "漁師は網を舟に積んだ", "子どもたちは石段を駆け下りた", "北の峠から風が吹いてくる", "橋のたもとで会う約束をした", "雨がやむと通りに光が戻った", "パン屋の戸はもう開いている", "時計が止まった理由を誰も知らない", "川の水は去年より高い", "地図に三つの丸を描いた"],
  arabic: ["كان الميناء هادئا في الصباح", "وضع الصياد الشبكة في القارب", "ركض الأطفال على الدرج الحجري", "هبت الريح من جهة الجبل", "اتفقوا على اللقاء عند الجسر", "عاد الضوء إلى الشارع بعد المطر", "فتح المخبز بابه منذ ساعة", "لا أحد يعرف لماذا توقفت الساعة", "ارتفع ماء النهر هذا العام", "رسمنا ثلاث دوائر على الخريطة"],
  hebrew: ["הנמל היה שקט בבוקר", "הדייג הניח את הרשת בסירה", "הילדים רצו במורד המדרגות", "הרוח נשבה מכיוון ההר", "הם קבעו להיפגש ליד הגשר", "אחרי הגשם חזר האור לרחוב", "המאפייה כבר פתחה את הדלת", "איש לא יודע למה השעון נעצר", "מי הנהר גבוהים מן השנה שעברה", "ציירנו שלושה עיגולים על המפה"],
  thai: ["ท่าเรือยังเงียบอยู่ในตอนเช้า", "ชาวประมงวางแหลงในเรือเล็ก", "เด็กๆวิ่งลงบันไดหิน", "ลมพัดมาจากภูเขาทางเหนือ", "พวกเขานัดพบกันที่เชิงสะพาน", "หลังฝนหยุดแสงกลับมาที่ถนน", "ร้านขนมปังเปิดประตูแล้ว", "ไม่มีใครรู้ว่านาฬิกาหยุดเพราะอะไร", "น้ำในแม่น้ำสูงกว่าปีที่แล้ว", "เราวาดวงกลมสามวงบนแผนที่"],
  lao: ["ຂ້ອຍໄປຕະຫຼາດກັບແມ່ຕອນເຊົ້າ", "ເດັກນ້ອຍຫຼິ້ນຢູ່ແຄມແມ່ນ້ຳ", "ຝົນຕົກຕັ້ງແຕ່ເຊົ້າຮອດແລງ", "ເຮືອກັບມາໃນຕອນແລງ", "ຄູຂຽນຊື່ຢູ່ເທິງກະດານ", "ຮ້ານເຂົ້າຈີ່ເປີດປະຕູແລ້ວ", "ລົມພັດມາຈາກພູທາງເໜືອ", "ນ້ຳໃນແມ່ນ້ຳສູງກວ່າປີກາຍ", "ພວກເຂົານັດພົບກັນຢູ່ຂົວ", "ບໍ່ມີໃຜຮູ້ວ່າໂມງຢຸດຍ້ອນຫຍັງ"],
  khmer: ["ខ្ញុំទៅផ្សារជាមួយម្តាយនៅពេលព្រឹក", "កុមារលេងនៅមាត់ទន្លេ", "មេឃភ្លៀងតាំងពីព្រឹកដល់ល្ងាច", "ទូកត្រឡប់មកវិញនៅពេលល្ងាច", "គ្រូបង្រៀនសរសេរឈ្មោះនៅលើក្តារខៀន", "ហាងនំប៉័ងបើកទ្វារហើយ", "ខ្យល់បក់មកពីភ្នំខាងជើង", "ទឹកទន្លេខ្ពស់ជាងឆ្នាំមុន", "ពួកគេណាត់ជួបគ្នានៅស្ពាន", "គ្មាននរណាដឹងថានាឡិកាឈប់ដោយសារអ្វី"],
  burmese: ["ကျွန်တော်အမေနဲ့မနက်ဈေးသွားတယ်", "ကလေးတွေမြစ်ကမ်းမှာကစားတယ်", "မနက်ကတည်းကညနေထိမိုးရွာနေတယ်", "လှေညနေမှာပြန်လာတယ်", "ဆရာမကသင်ပုန်းပေါ်မှာနာမည်ရေးတယ်", "မုန့်ဆိုင်တံခါးဖွင့်ပြီးပြီ", "မြောက်ဘက်တောင်ကလေတိုက်လာတယ်", "မြစ်ရေကမနှစ်ကထက်မြင့်တယ်", "သူတို့တံတားမှာတွေ့ဖို့ချိန်းတယ်", "နာရီဘာကြောင့်ရပ်သွားလဲဘယ်သူမှမသိဘူး", "မြေပုံပေါ်မှာစက်ဝိုင်းသုံးခုဆွဲတယ်"],
};

const SIGNS: Record<string, { comma: string; stop: string }> = {
  chinese: { comma: "，", stop: "。" },
  japanese: { comma: "、", stop: "。" },
  arabic: { comma: "، ", stop: ". " },
  hebrew: { comma: ", ", stop: ". " },
  thai: { comma: " ", stop: " " },
  lao: { comma: " ", stop: " " },
  khmer: { comma: " ", stop: "។ " },
  burmese: { comma: "၊ ", stop: "။ " },
};

export const SCRIPTS = Object.keys(CLAUSES);

/**
 * 40,000 units or more of markdown with `count` passages between ⟦ and ⟧, which begin and end anywhere
 * in a paragraph, also inside a word; the same at every run.
 */
export function largePage(script: string, count: number): string {
  const clauses = CLAUSES[script]!;
  const { comma, stop } = SIGNS[script]!;
  let state = 12_345;
  const pick = (most: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % most;
  };
  const sentence = () => Array.from({ length: 2 + pick(3) }, () => clauses[pick(clauses.length)]).join(comma) + stop;
  const paragraph = () => Array.from({ length: 2 + pick(4) }, sentence).join("").trim();
  const blocks: string[] = [];
  for (let length = 0; length < 40_000; ) {
    const kind = pick(8);
    const text = paragraph();
    const block = kind === 0 ? `## ${clauses[pick(clauses.length)]}` : kind === 1 ? `- ${text}\n- **${sentence().trim()}**` : kind === 2 ? `> ${text}` : text;
    blocks.push(block);
    length += block.length;
  }
  const step = Math.floor(blocks.length / count);
  for (let index = 0; index < count; index += 1) {
    // The next plain paragraph, and at every second passage the end lies in one further on.
    const plain = (from: number) => blocks.findIndex((block, at) => at >= from && block.length > 60 && !/^[#>-]|⟦/.test(block));
    const first = plain(index * step);
    const last = index % 2 === 0 ? first : plain(first + 1);
    const from = pick(20);
    const cut = (block: string, at: number, mark: string) => block.slice(0, at) + mark + block.slice(at);
    blocks[last] = cut(blocks[last]!, 45 + pick(15), "⟧");
    blocks[first] = cut(blocks[first]!, from, "⟦");
  }
  return blocks.join("\n\n");
}
