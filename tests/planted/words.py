"""The words a generated debate is made of. Sentences are grammatical and mean little: only their structure matters."""

from dataclasses import dataclass


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(p.split()) for p in text.split("|"))


ADJECTIVES = _words(
    """
    staged narrow shared annual regional quiet steep early late modest thin dense fixed rotating paid unpaid local
    remote manual seasonal joint public private older younger cheap costly slow rapid short long hidden visible open
    closed single double partial full weekly monthly small large outer inner northern southern urban rural central
    spare stable fragile loose strict plain mixed broad nearby distant daily formal informal internal external legal
    technical financial practical temporary permanent familiar foreign gradual sudden tight flexible coastal inland
    frozen heated cooled painted bare folded sealed woven printed written spoken silent noisy bright dim warm cold
    dry wet clean dusty heavy light round square sharp blunt smooth rough brittle elastic hollow solid liquid ripe
    raw fresh stale sweet bitter idle busy vacant crowded famous obscure honest clever patient eager tired awake
    humble proud gentle stern lucky careful casual modern ancient medieval recent overdue punctual weekday nightly
    hourly yearly binary linear circular vertical horizontal parallel reverse forward upper lower middle western
    eastern
    """
)

NOUNS = _words(
    """
    rollout ledger contract supplier warehouse queue backlog audit licence tenant invoice forecast holiday shift
    roster depot corridor bridge garden harbour market library clinic school factory kitchen workshop archive panel
    survey sample pilot margin discount subsidy penalty deposit refund permit inspection training handover outage
    repair upgrade replacement storage traffic demand turnover payroll insurance deadline calendar checklist manual
    template catalogue inventory shipment courier branch district council neighbour visitor patient pupil driver
    engineer clerk manager auditor planner operator volunteer partner customer vendor founder regulator newspaper
    meeting interview complaint appointment delivery schedule workload overtime budget reserve grant loan lease rent
    tariff meter sensor battery server database interface module pipeline release ticket incident anchor apron attic
    badge ballot banner barrel basin basket beacon bench blanket border bottle boundary bracket bucket bundle burden
    cabin cable camera candle canal canvas carpet carton ceiling cellar chapel chapter chimney circuit clause
    climate cluster column compass counter courtyard cradle crate crossing cupboard curtain cushion cycle dairy
    diary disc doorway drawer drill elevator engine envelope estuary exhibit fabric fence ferry filter fountain
    frame freight funnel furnace galley gallery gate glacier granary gravel hammer hangar hedge helmet hinge hostel
    hub island jetty journal junction kettle kiosk ladder lamp lantern lattice lawn lecture lever lobby locker lorry
    magnet mast meadow mill mirror monument motor orchard oven parcel passage pavement pier pillar plank plateau
    platform plaza pocket portal postcard pottery pulley pump quarry quilt radar railway rampart ranch receipt reef
    relay ribbon ridge rope saddle sail satellite scaffold scale script shelter shutter siren slope socket spire
    stable staircase stall statue steam stencil stove stream studio summit tablet tank tavern terrace textile
    theatre thread timber token torch tower tractor trail tray trench tunnel turbine tutor valley valve vault vessel
    village violin wagon wall ward well wharf wheel willow window wire yard
    """
)

VERBS = _words(
    """
    limits supports delays shortens replaces protects absorbs exposes doubles halves requires attracts repels
    finances blocks follows precedes outlasts offsets undermines strengthens simplifies complicates covers reveals
    conceals reduces increases balances interrupts anchors steadies loosens tightens displaces duplicates monitors
    predicts rewards punishes feeds drains splits merges isolates connects postpones accelerates screens filters
    tracks measures trims extends narrows widens stabilises disturbs clears crowds lifts lowers matches exceeds
    adjusts admits advances aligns amends amplifies assembles audits averts backs bends bundles bypasses cancels
    captures carries catches charges checks circles collects combines confines copies corrects crosses cushions
    decorates deepens defends defers deflects denies deters diverts dominates drives empties encloses endangers
    engages enriches equips erodes escorts excludes expands favours fences freezes fuels funds governs grounds
    guards guides halts harms hastens heats heralds hides hinders hosts houses illuminates imitates impedes imports
    inspects insulates invites joins justifies lengthens levels links locks maintains marks mends mirrors mixes
    modifies moves multiplies neglects notes obstructs occupies omits opens orders organises outgrows overrides
    packs parks pays permits polishes powers presses preserves prevents processes promotes props pulls pushes raises
    ranks rations recalls recovers refuses regulates rejects releases removes renews rents repeats reroutes rescues
    resists restores retains reverses revives rotates rounds saves scatters seals separates serves settles shades
    shapes shares shields shifts slows smooths softens sorts spares spreads starts steers stops stores stretches
    surveys suspends sustains tames teaches tests threatens ties tilts touches tows trains transfers treats turns
    unites unlocks unloads updates validates visits waives warms warns weakens weighs welcomes withholds yields
    """
)

PREPOSITIONS = _words(
    """
    during after before near within across beyond behind beside under over without
    """
)

HEDGES = _phrases(
    """
    perhaps | often | usually | may well be a reason why | mostly | in general | seems to be why | could be why
    """
)
"""Everyday hedges at the rate of ordinary speech; a clean text has some."""

BOOSTERS = _phrases(
    """
    clearly | certainly | in fact | must be why | always | really | critical as it is | will
    """
)


@dataclass(frozen=True)
class Issue:
    """One issue that a debate decides: its slug, its words, and the stances an agent may take."""

    key: str
    noun: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Topic:
    """What a debate is about."""

    name: str
    question: str
    constraints: tuple[str, ...]
    terms: tuple[str, ...]
    issues: tuple[Issue, ...]


def _issues(*lines: str) -> tuple[Issue, ...]:
    return tuple(Issue(k, n, tuple(v.split("/"))) for k, n, v in (line.split("|") for line in lines))


TOPICS = (
    Topic(
        "billing",
        "Should our company move billing out of the monolith into a separate service during the next fiscal year?",
        ("Spend at most 90000 euros.", "Keep invoices running during the migration.", "Name an owner for every step."),
        ("billing", "monolith", "service", "migration", "company", "fiscal year", "invoices", "separate billing"),
        _issues(
            "architecture|the billing architecture|a module inside the monolith/a separate service/a hosted product",
            "team-size|the migration team|2 engineers/5 engineers/9 engineers",
            "shadow-run|the shadow run|3 weeks/8 weeks/14 weeks",
            "cutover|the cutover|one big switch/tenant by tenant/only new tenants",
            "error-budget|the error budget|2 %/6 %/11 %",
            "datastore|the billing store|shared tables/its own database/an event log",
        ),
    ),
    Topic(
        "clinic",
        "Should the rural clinic open on Saturdays and close on Wednesday afternoons from next spring?",
        ("Keep emergency cover on every day.", "No dismissals.", "Overtime stays below 6 hours a person each week."),
        ("clinic", "Saturdays", "Wednesday", "spring", "rural clinic", "afternoons", "opening hours"),
        _issues(
            "opening|the opening days|Saturday morning/all of Saturday/no Saturday",
            "trial|the trial|6 weeks/13 weeks/26 weeks",
            "staffing|the Saturday crew|two nurses and a doctor/volunteers on call/a rotating agency",
            "fee|the late fee|5 euros/12 euros/20 euros",
            "closing|the Wednesday closing|close at noon/stay open/close every second week",
            "transport|patient transport|a shuttle bus/taxi vouchers/none",
        ),
    ),
    Topic(
        "pricing",
        "Should the bakery raise bread prices this autumn, or shrink the loaf and keep the price?",
        ("Keep one loaf affordable for pensioners.", "No new ovens.", "Decide before the harvest report."),
        ("bakery", "bread", "prices", "loaf", "autumn", "price", "shrink", "bread prices"),
        _issues(
            "strategy|the pricing strategy|raise prices/shrink the loaf/hold both",
            "increase|the increase|4 %/9 %/15 %",
            "loaf-weight|the loaf weight|650 grams/800 grams/1000 grams",
            "notice|the notice to customers|a shop poster/a letter to regulars/no notice",
            "range|the range|drop the slow sellers/keep every loaf/add a budget loaf",
            "review|the review|after 5 weeks/after 11 weeks/after 20 weeks",
        ),
    ),
    Topic(
        "school",
        "Should the school district ban phones in lessons for pupils under sixteen, and who enforces the ban?",
        ("Parents must reach a child within 30 minutes.", "No searches of bags.", "Cost stays under 40 euros a pupil."),
        ("school", "district", "phones", "lessons", "pupils", "ban", "sixteen", "enforces"),
        _issues(
            "ban|the phone ban|a full ban/lockers by choice/no ban",
            "age|the age limit|12 years/14 years/16 years",
            "enforcement|the enforcement|class teachers/a duty warden/pupil prefects",
            "storage|the storage|locked pouches/lockers/the school bag",
            "pilot-length|the pilot|7 weeks/15 weeks/30 weeks",
            "sanction|the sanction|a written note/a talk with parents/detention",
        ),
    ),
    Topic(
        "harbour",
        "Should the harbour town replace its diesel ferries with electric ferries before the bridge opens?",
        ("Keep the night crossing.", "Borrow at most 9 million euros.", "Noise stays under the present limit."),
        ("harbour", "town", "diesel", "ferries", "electric", "bridge", "electric ferries", "crossing"),
        _issues(
            "fleet|the fleet|three electric ferries/one electric ferry/refitted diesel",
            "charging|the charging site|the east pier/both piers/a floating charger",
            "loan|the loan|3 million euros/5 million euros/8 million euros",
            "timetable|the timetable|20 minutes/35 minutes/60 minutes",
            "order|the order|a joint tender/a direct award/a lease",
            "crew|the crew training|a shipyard course/training on board/new hires",
        ),
    ),
    Topic(
        "archive",
        "Should the city archive digitise its newspapers itself or hire an outside vendor over the coming decade?",
        ("The originals stay in the city.", "Every page can be searched.", "No reader waits longer than 3 days."),
        ("city", "archive", "digitise", "newspapers", "vendor", "outside vendor", "decade", "originals"),
        _issues(
            "provider|the provider|the archive itself/an outside vendor/a university partner",
            "pace|the pace|20 volumes a month/45 volumes a month/90 volumes a month",
            "resolution|the scan resolution|200 dots/300 dots/600 dots",
            "rights|the rights|free use/non-commercial use/reading room only",
            "start|the starting point|the oldest papers/the most asked for/the most decayed",
            "check|the quality check|every page/every tenth page/by complaint",
        ),
    ),
)

UNLISTED_HEDGES = _phrases(
    """
    almost | approximately | around | to a certain amount | essentially | by our estimate | we feel | frequently |
    from our perspective | in most instances | as indicated | quite | rather | roughly | to my knowledge | broadly |
    supposedly | as is typical | we think | more or less | sort of | practically | partially | on balance
    """
)
"""Hedges that the shipped list does not hold, most of them from ConvoKit's and npm's lists (MIT, see
`vada/failure_modes/lexicons/NOTICE.md`): what the list misses must be measured too."""
