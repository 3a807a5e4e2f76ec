"""Adds to a presentation of LibreOffice what PowerPoint writes and LibreOffice does not: survey.py talk.pptx survey.pptx"""
import sys
import zipfile

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MODERN = "http://schemas.microsoft.com/office/2018/10/relationships"
NAMES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    f'xmlns:r="{OFFICE}" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main"'
)


def text(words):
    return f"<a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr/><a:t>{words}</a:t></a:r></a:p>"


def frame(left, top, width, height):
    return f'<a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/>'


def box(number, words, left, top):
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="Box {number}"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>'
        f'{frame(left, top, 1800000, 400000)}</a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>'
        f"<p:txBody>{text(words)}</p:txBody></p:sp>"
    )


def group(number, left, top, content):
    place = frame(left, top, 3800000, 400000)
    inside = '<a:chOff x="0" y="0"/><a:chExt cx="3800000" cy="400000"/>'
    return (
        f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="{number}" name="Group {number}"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
        f"<p:grpSpPr><a:xfrm>{place}{inside}</a:xfrm></p:grpSpPr>{content}</p:grpSp>"
    )


def graphic(number, top, kind, content):
    uri = f"http://schemas.openxmlformats.org/drawingml/2006/{kind}"
    return (
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{number}" name="{kind} {number}"/><p:cNvGraphicFramePr/><p:nvPr/>'
        f"</p:nvGraphicFramePr><p:xfrm>{frame(720000, top, 6000000, 2000000)}</p:xfrm>"
        f'<a:graphic><a:graphicData uri="{uri}">{content}</a:graphicData></a:graphic></p:graphicFrame>'
    )


def title(words):
    return f"<c:title><c:tx><c:rich>{text(words)}</c:rich></c:tx></c:title>"


def points(kind, words):
    each = "".join(f'<c:pt idx="{index}"><c:v>{word}</c:v></c:pt>' for index, word in enumerate(words))
    return f'<c:{kind}Ref><c:f>S!A1</c:f><c:{kind}Cache><c:ptCount val="{len(words)}"/>{each}</c:{kind}Cache></c:{kind}Ref>'


def series(number, name, values):
    return (
        f'<c:ser><c:idx val="{number}"/><c:order val="{number}"/><c:tx>{points("str", [name])}</c:tx>'
        f'<c:cat>{points("str", ["Spring", "Autumn"])}</c:cat><c:val>{points("num", values)}</c:val></c:ser>'
    )


def axis(kind, number, other, words):
    side = "b" if kind == "cat" else "l"
    return (
        f'<c:{kind}Ax><c:axId val="{number}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/>'
        f'<c:axPos val="{side}"/>{title(words)}<c:crossAx val="{other}"/></c:{kind}Ax>'
    )


CHART = (
    f'<c:chartSpace {NAMES}><c:chart>{title("Soundings")}<c:plotArea><c:barChart><c:barDir val="col"/>'
    f'{series(0, "North", [4.9, 5.1])}{series(1, "South", [12, 11])}<c:axId val="1"/><c:axId val="2"/></c:barChart>'
    f'{axis("cat", 1, 2, "Season")}{axis("val", 2, 1, "Metres")}</c:plotArea><c:legend><c:legendPos val="r"/></c:legend>'
    "</c:chart></c:chartSpace>"
)
DIAGRAM = (
    f'<dgm:dataModel {NAMES}><dgm:ptLst><dgm:pt modelId="0" type="doc"/>'
    + "".join(f'<dgm:pt modelId="{number}"><dgm:t>{text(words)}</dgm:t></dgm:pt>' for number, words in [(1, "Dredge"), (2, "Measure again")])
    + "</dgm:ptLst><dgm:cxnLst/></dgm:dataModel>"
)
SLIDE = (
    box(60, "Below the group", 720000, 2200000)
    + group(61, 720000, 1500000, box(62, "first of it", 0, 0) + group(63, 2000000, 0, box(64, "within it", 0, 0)))
    + graphic(65, 2800000, "chart", f'<c:chart {NAMES} r:id="added0"/>')
    + graphic(66, 5000000, "diagram", f'<dgm:relIds {NAMES} r:dm="added1" r:lo="" r:qs="" r:cs=""/>')
)
OLD_COMMENTS = f'<p:cmLst {NAMES}><p:cm authorId="0" dt="2024-03-03T10:00:00.000" idx="1"><p:pos x="10" y="10"/><p:text>Which quay?</p:text></p:cm></p:cmLst>'
OLD_AUTHORS = f'<p:cmAuthorLst {NAMES}><p:cmAuthor id="0" name="Cleo Reader" initials="CR" lastIdx="1" clrIdx="0"/></p:cmAuthorLst>'
ADA, BEN = "{11111111-1111-4111-8111-111111111111}", "{22222222-2222-4222-8222-222222222222}"
NEW_COMMENTS = (
    f'<p188:cmLst {NAMES}><p188:cm id="{{A}}" authorId="{ADA}" created="2024-03-04T10:00:00.000">'
    f'<p188:replyLst><p188:reply id="{{B}}" authorId="{BEN}" created="2024-03-05T10:00:00.000"><p188:txBody>{text("At low water.")}</p188:txBody>'
    f'</p188:reply></p188:replyLst><p188:txBody>{text("When was this measured?")}</p188:txBody></p188:cm></p188:cmLst>'
)
NEW_AUTHORS = f'<p188:authorLst {NAMES}><p188:author id="{ADA}" name="Ada Writer"/><p188:author id="{BEN}" name="Ben Editor"/></p188:authorLst>'

OPEN = "application/vnd.openxmlformats-officedocument"
POWERPOINT = "application/vnd.ms-powerpoint"

# Each part: its path, the part that refers to it, the relationship, the content type, and the content.
PARTS = [
    ("charts/chart1.xml", "slides/_rels/slide3.xml.rels", f"{OFFICE}/chart", f"{OPEN}.drawingml.chart", CHART),
    ("diagrams/data1.xml", "slides/_rels/slide3.xml.rels", f"{OFFICE}/diagramData", f"{OPEN}.drawingml.diagramData", DIAGRAM),
    ("comments/comment1.xml", "slides/_rels/slide1.xml.rels", f"{OFFICE}/comments", f"{OPEN}.presentationml.comments", OLD_COMMENTS),
    ("commentAuthors.xml", "_rels/presentation.xml.rels", f"{OFFICE}/commentAuthors", f"{OPEN}.presentationml.commentAuthors", OLD_AUTHORS),
    ("comments/modernComment1.xml", "slides/_rels/slide2.xml.rels", f"{MODERN}/comments", f"{POWERPOINT}.comments", NEW_COMMENTS),
    ("authors.xml", "_rels/presentation.xml.rels", f"{MODERN}/authors", f"{POWERPOINT}.authors", NEW_AUTHORS),
]


def add(files, name, end, content):
    files[name] = files[name].replace(end, content + end)


source, target = sys.argv[1:]
with zipfile.ZipFile(source) as archive:
    files = {name: archive.read(name).decode() for name in archive.namelist()}
for number, (name, referring, relation, kind, content) in enumerate(PARTS):
    files[f"ppt/{name}"] = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{content}'
    add(files, f"ppt/{referring}", "</Relationships>", f'<Relationship Id="added{number}" Type="{relation}" Target="/ppt/{name}"/>')
    add(files, "[Content_Types].xml", "</Types>", f'<Override PartName="/ppt/{name}" ContentType="{kind}+xml"/>')
files["ppt/slides/slide3.xml"] = files["ppt/slides/slide3.xml"].replace(' show="0"', "").replace("Only if asked", "Survey")
add(files, "ppt/slides/slide3.xml", "</p:spTree>", SLIDE)
with zipfile.ZipFile(target, "w") as archive:
    for name, content in files.items():
        archive.writestr(zipfile.ZipInfo(name, (2024, 3, 1, 9, 0, 0)), content.encode(), zipfile.ZIP_DEFLATED)
