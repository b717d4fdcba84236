# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 5004390b33bd5342b2d7798b452768b62867445ca11c4eff500299ee8e85c49f
# sha256 of its settings in contracts.toml: d49b66c665fd2eaaa7ac2c3cb97e8361d9c8f9bfefc03fb1c85fea6c147bdb57
"""How the types of advertiser 2015-03-01 are read and written."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from soapclient.runtime.leaves import (
    Choice,
    no_attributes,
)
from soapclient.runtime.protocols import (
    Kept,
    Node,
    Reader,
    Wire,
    Writer,
)
from soapclient.runtime.reading import (
    absent,
    keep,
    keep_attribute,
    keep_empty,
    read_list,
    repeated,
)
from soapclient.runtime.scalars import (
    DATE,
    EXACT_DOUBLE,
    INT,
    LONG,
    STRING,
)
from soapclient.runtime.writing import (
    expect,
    required,
    write,
    write_choice,
    write_list,
    write_texts,
)
from zxws.advertiser.types import (
    AdmediaStatus,
    AdspaceStatus,
    AggregatedReport,
    GetPartnershipsRequest,
    GetPartnershipsResponse,
    GetProgramReportRequest,
    GetProgramReportResponse,
    GetPublicPartnershipsRequest,
    GetPublicPartnershipsResponse,
    GroupBy,
    PartnerCodeError,
    PartnerCodeStatus,
    Partnership,
    PublicPartnership,
    UserStatus,
)

T_PARTNER_CODE = "{http://advertiser.invalid/namespace/2015-03-01/}partnerCode"
T_USER_ID = "{http://advertiser.invalid/namespace/2015-03-01/}userId"
T_ADSPACE_ID = "{http://advertiser.invalid/namespace/2015-03-01/}adspaceId"
T_PARTNER_CODE_STATUS = "{http://advertiser.invalid/namespace/2015-03-01/}partnerCodeStatus"
T_USER_NAME = "{http://advertiser.invalid/namespace/2015-03-01/}userName"
T_USER_STATUS = "{http://advertiser.invalid/namespace/2015-03-01/}userStatus"
T_ADSPACE_NAME = "{http://advertiser.invalid/namespace/2015-03-01/}adspaceName"
T_ADSPACE_URL = "{http://advertiser.invalid/namespace/2015-03-01/}adspaceUrl"
T_ADSPACE_STATUS = "{http://advertiser.invalid/namespace/2015-03-01/}adspaceStatus"
T_ADMEDIA_ID = "{http://advertiser.invalid/namespace/2015-03-01/}admediaId"
T_ADMEDIA_NAME = "{http://advertiser.invalid/namespace/2015-03-01/}admediaName"
T_ADMEDIA_STATUS = "{http://advertiser.invalid/namespace/2015-03-01/}admediaStatus"
T_CODE = "{http://advertiser.invalid/namespace/2015-03-01/}code"
T_MESSAGE = "{http://advertiser.invalid/namespace/2015-03-01/}message"
T_REASON = "{http://advertiser.invalid/namespace/2015-03-01/}reason"
T_DAY = "{http://advertiser.invalid/namespace/2015-03-01/}day"
T_MONTH = "{http://advertiser.invalid/namespace/2015-03-01/}month"
T_CURRENCY = "{http://advertiser.invalid/namespace/2015-03-01/}currency"
T_VIEW_COUNT = "{http://advertiser.invalid/namespace/2015-03-01/}viewCount"
T_TPV_COUNT = "{http://advertiser.invalid/namespace/2015-03-01/}tpvCount"
T_CLICK_COUNT = "{http://advertiser.invalid/namespace/2015-03-01/}clickCount"
T_CLICK_COMMISSION = "{http://advertiser.invalid/namespace/2015-03-01/}clickCommission"
T_LEAD_COUNT = "{http://advertiser.invalid/namespace/2015-03-01/}leadCount"
T_LEAD_COMMISSION = "{http://advertiser.invalid/namespace/2015-03-01/}leadCommission"
T_SALE_COUNT = "{http://advertiser.invalid/namespace/2015-03-01/}saleCount"
T_SALE_COMMISSION = "{http://advertiser.invalid/namespace/2015-03-01/}saleCommission"
T_SALE_AMOUNT = "{http://advertiser.invalid/namespace/2015-03-01/}saleAmount"
T_PARTNER_CODE_LIST = "{http://advertiser.invalid/namespace/2015-03-01/}partnerCodeList"
T_ERROR_LIST = "{http://advertiser.invalid/namespace/2015-03-01/}errorList"
T_ERROR = "{http://advertiser.invalid/namespace/2015-03-01/}error"
T_PROGRAM_ID = "{http://advertiser.invalid/namespace/2015-03-01/}programId"
T_FROM_DATE = "{http://advertiser.invalid/namespace/2015-03-01/}fromDate"
T_TO_DATE = "{http://advertiser.invalid/namespace/2015-03-01/}toDate"
T_GROUP_BY = "{http://advertiser.invalid/namespace/2015-03-01/}groupBy"
T_AGGREGATED_REPORT_LIST = "{http://advertiser.invalid/namespace/2015-03-01/}aggregatedReportList"
T_AGGREGATED_REPORT = "{http://advertiser.invalid/namespace/2015-03-01/}aggregatedReport"

C_PARTNER_CODE_STATUS = Choice(PartnerCodeStatus)
C_USER_STATUS = Choice(UserStatus)
C_ADSPACE_STATUS = Choice(AdspaceStatus)
C_ADMEDIA_STATUS = Choice(AdmediaStatus)
C_GROUP_BY = Choice(GroupBy)


def read_partnership(node: Node, reader: Reader) -> Partnership:
    unknown: Kept = {}
    for attribute, raw in node.items():
        reader.unknown_attribute(node, attribute)
        keep_attribute(unknown, attribute, raw)
    partner_code: str | None = None
    user_id: int | None = None
    adspace_id: int | None = None
    partner_code_status: PartnerCodeStatus | str | None = None
    user_name: str | None = None
    user_status: UserStatus | str | None = None
    adspace_name: str | None = None
    adspace_url: str | None = None
    adspace_status: AdspaceStatus | str | None = None
    admedia_id: int | None = None
    admedia_name: str | None = None
    admedia_status: AdmediaStatus | str | None = None
    for child in node:
        tag = child.tag
        if tag == T_PARTNER_CODE:
            if partner_code is not None:
                raise repeated(child)
            partner_code = STRING.read(child, reader)
        elif tag == T_USER_ID:
            if user_id is not None:
                raise repeated(child)
            user_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_PARTNER_CODE_STATUS:
            if partner_code_status is not None:
                raise repeated(child)
            partner_code_status = C_PARTNER_CODE_STATUS.read(child, reader)
        elif tag == T_USER_NAME:
            if user_name is not None:
                raise repeated(child)
            user_name = STRING.read(child, reader)
        elif tag == T_USER_STATUS:
            if user_status is not None:
                raise repeated(child)
            user_status = C_USER_STATUS.read(child, reader)
        elif tag == T_ADSPACE_NAME:
            if adspace_name is not None:
                raise repeated(child)
            adspace_name = STRING.read(child, reader)
        elif tag == T_ADSPACE_URL:
            if adspace_url is not None:
                raise repeated(child)
            adspace_url = STRING.read(child, reader)
        elif tag == T_ADSPACE_STATUS:
            if adspace_status is not None:
                raise repeated(child)
            adspace_status = C_ADSPACE_STATUS.read(child, reader)
        elif tag == T_ADMEDIA_ID:
            if admedia_id is not None:
                raise repeated(child)
            admedia_id = INT.read(child, reader)
        elif tag == T_ADMEDIA_NAME:
            if admedia_name is not None:
                raise repeated(child)
            admedia_name = STRING.read(child, reader)
        elif tag == T_ADMEDIA_STATUS:
            if admedia_status is not None:
                raise repeated(child)
            admedia_status = C_ADMEDIA_STATUS.read(child, reader)
        else:
            reader.unknown_element(child)
            keep(unknown, child)
    keep_empty(
        unknown,
        node,
        (
            T_PARTNER_CODE,
            T_USER_ID,
            T_ADSPACE_ID,
            T_PARTNER_CODE_STATUS,
            T_USER_NAME,
            T_USER_STATUS,
            T_ADSPACE_NAME,
            T_ADSPACE_URL,
            T_ADSPACE_STATUS,
            T_ADMEDIA_ID,
            T_ADMEDIA_NAME,
            T_ADMEDIA_STATUS,
        ),
    )
    if partner_code is None:
        raise absent(node, "partnerCode")
    if user_id is None:
        raise absent(node, "userId")
    if adspace_id is None:
        raise absent(node, "adspaceId")
    return Partnership(
        partner_code=partner_code,
        user_id=user_id,
        adspace_id=adspace_id,
        partner_code_status=partner_code_status,
        user_name=user_name,
        user_status=user_status,
        adspace_name=adspace_name,
        adspace_url=adspace_url,
        adspace_status=adspace_status,
        admedia_id=admedia_id,
        admedia_name=admedia_name,
        admedia_status=admedia_status,
        unknown=unknown,
    )


def write_partnership(value: Partnership, writer: Writer, path: str) -> Wire:
    expect(value, Partnership, path)
    wire: Wire = {}
    if value.partner_code is None:
        raise required(f"{path}/partnerCode")
    wire["partnerCode"] = write(value.partner_code, f"{path}/partnerCode", STRING)
    if value.user_id is None:
        raise required(f"{path}/userId")
    wire["userId"] = write(value.user_id, f"{path}/userId", INT)
    if value.adspace_id is None:
        raise required(f"{path}/adspaceId")
    wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.partner_code_status is not None:
        wire["partnerCodeStatus"] = write_choice(
            value.partner_code_status, f"{path}/partnerCodeStatus", C_PARTNER_CODE_STATUS
        )
    if value.user_name is not None:
        wire["userName"] = write(value.user_name, f"{path}/userName", STRING)
    if value.user_status is not None:
        wire["userStatus"] = write_choice(value.user_status, f"{path}/userStatus", C_USER_STATUS)
    if value.adspace_name is not None:
        wire["adspaceName"] = write(value.adspace_name, f"{path}/adspaceName", STRING)
    if value.adspace_url is not None:
        wire["adspaceUrl"] = write(value.adspace_url, f"{path}/adspaceUrl", STRING)
    if value.adspace_status is not None:
        wire["adspaceStatus"] = write_choice(value.adspace_status, f"{path}/adspaceStatus", C_ADSPACE_STATUS)
    if value.admedia_id is not None:
        wire["admediaId"] = write(value.admedia_id, f"{path}/admediaId", INT)
    if value.admedia_name is not None:
        wire["admediaName"] = write(value.admedia_name, f"{path}/admediaName", STRING)
    if value.admedia_status is not None:
        wire["admediaStatus"] = write_choice(value.admedia_status, f"{path}/admediaStatus", C_ADMEDIA_STATUS)
    return wire


def read_public_partnership(node: Node, reader: Reader) -> PublicPartnership:
    unknown: Kept = {}
    for attribute, raw in node.items():
        reader.unknown_attribute(node, attribute)
        keep_attribute(unknown, attribute, raw)
    partner_code: str | None = None
    user_id: int | None = None
    adspace_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PARTNER_CODE:
            if partner_code is not None:
                raise repeated(child)
            partner_code = STRING.read(child, reader)
        elif tag == T_USER_ID:
            if user_id is not None:
                raise repeated(child)
            user_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
            keep(unknown, child)
    keep_empty(unknown, node, (T_PARTNER_CODE, T_USER_ID, T_ADSPACE_ID))
    if partner_code is None:
        raise absent(node, "partnerCode")
    if user_id is None:
        raise absent(node, "userId")
    if adspace_id is None:
        raise absent(node, "adspaceId")
    return PublicPartnership(
        partner_code=partner_code,
        user_id=user_id,
        adspace_id=adspace_id,
        unknown=unknown,
    )


def write_public_partnership(value: PublicPartnership, writer: Writer, path: str) -> Wire:
    expect(value, PublicPartnership, path)
    wire: Wire = {}
    if value.partner_code is None:
        raise required(f"{path}/partnerCode")
    wire["partnerCode"] = write(value.partner_code, f"{path}/partnerCode", STRING)
    if value.user_id is None:
        raise required(f"{path}/userId")
    wire["userId"] = write(value.user_id, f"{path}/userId", INT)
    if value.adspace_id is None:
        raise required(f"{path}/adspaceId")
    wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    return wire


def read_partner_code_error(node: Node, reader: Reader) -> PartnerCodeError:
    unknown: Kept = {}
    for attribute, raw in node.items():
        reader.unknown_attribute(node, attribute)
        keep_attribute(unknown, attribute, raw)
    partner_code: str | None = None
    code: str | None = None
    message: str | None = None
    reason: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_PARTNER_CODE:
            if partner_code is not None:
                raise repeated(child)
            partner_code = STRING.read(child, reader)
        elif tag == T_CODE:
            if code is not None:
                raise repeated(child)
            code = STRING.read(child, reader)
        elif tag == T_MESSAGE:
            if message is not None:
                raise repeated(child)
            message = STRING.read(child, reader)
        elif tag == T_REASON:
            if reason is not None:
                raise repeated(child)
            reason = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
            keep(unknown, child)
    keep_empty(unknown, node, (T_PARTNER_CODE, T_CODE, T_MESSAGE, T_REASON))
    return PartnerCodeError(
        partner_code=partner_code,
        code=code,
        message=message,
        reason=reason,
        unknown=unknown,
    )


def write_partner_code_error(value: PartnerCodeError, writer: Writer, path: str) -> Wire:
    expect(value, PartnerCodeError, path)
    wire: Wire = {}
    if value.partner_code is not None:
        wire["partnerCode"] = write(value.partner_code, f"{path}/partnerCode", STRING)
    if value.code is not None:
        wire["code"] = write(value.code, f"{path}/code", STRING)
    if value.message is not None:
        wire["message"] = write(value.message, f"{path}/message", STRING)
    if value.reason is not None:
        wire["reason"] = write(value.reason, f"{path}/reason", STRING)
    return wire


def read_aggregated_report(node: Node, reader: Reader) -> AggregatedReport:
    unknown: Kept = {}
    for attribute, raw in node.items():
        reader.unknown_attribute(node, attribute)
        keep_attribute(unknown, attribute, raw)
    day: str | None = None
    month: str | None = None
    adspace_id: int | None = None
    adspace_name: str | None = None
    user_id: int | None = None
    user_name: str | None = None
    admedia_id: int | None = None
    admedia_name: str | None = None
    currency: str | None = None
    view_count: int | None = None
    tpv_count: int | None = None
    click_count: int | None = None
    click_commission: Decimal | None = None
    lead_count: int | None = None
    lead_commission: Decimal | None = None
    sale_count: int | None = None
    sale_commission: Decimal | None = None
    sale_amount: Decimal | None = None
    for child in node:
        tag = child.tag
        if tag == T_DAY:
            if day is not None:
                raise repeated(child)
            day = STRING.read(child, reader)
        elif tag == T_MONTH:
            if month is not None:
                raise repeated(child)
            month = STRING.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_ADSPACE_NAME:
            if adspace_name is not None:
                raise repeated(child)
            adspace_name = STRING.read(child, reader)
        elif tag == T_USER_ID:
            if user_id is not None:
                raise repeated(child)
            user_id = INT.read(child, reader)
        elif tag == T_USER_NAME:
            if user_name is not None:
                raise repeated(child)
            user_name = STRING.read(child, reader)
        elif tag == T_ADMEDIA_ID:
            if admedia_id is not None:
                raise repeated(child)
            admedia_id = INT.read(child, reader)
        elif tag == T_ADMEDIA_NAME:
            if admedia_name is not None:
                raise repeated(child)
            admedia_name = STRING.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_VIEW_COUNT:
            if view_count is not None:
                raise repeated(child)
            view_count = LONG.read(child, reader)
        elif tag == T_TPV_COUNT:
            if tpv_count is not None:
                raise repeated(child)
            tpv_count = LONG.read(child, reader)
        elif tag == T_CLICK_COUNT:
            if click_count is not None:
                raise repeated(child)
            click_count = LONG.read(child, reader)
        elif tag == T_CLICK_COMMISSION:
            if click_commission is not None:
                raise repeated(child)
            click_commission = EXACT_DOUBLE.read(child, reader)
        elif tag == T_LEAD_COUNT:
            if lead_count is not None:
                raise repeated(child)
            lead_count = LONG.read(child, reader)
        elif tag == T_LEAD_COMMISSION:
            if lead_commission is not None:
                raise repeated(child)
            lead_commission = EXACT_DOUBLE.read(child, reader)
        elif tag == T_SALE_COUNT:
            if sale_count is not None:
                raise repeated(child)
            sale_count = LONG.read(child, reader)
        elif tag == T_SALE_COMMISSION:
            if sale_commission is not None:
                raise repeated(child)
            sale_commission = EXACT_DOUBLE.read(child, reader)
        elif tag == T_SALE_AMOUNT:
            if sale_amount is not None:
                raise repeated(child)
            sale_amount = EXACT_DOUBLE.read(child, reader)
        else:
            reader.unknown_element(child)
            keep(unknown, child)
    keep_empty(
        unknown,
        node,
        (
            T_DAY,
            T_MONTH,
            T_ADSPACE_ID,
            T_ADSPACE_NAME,
            T_USER_ID,
            T_USER_NAME,
            T_ADMEDIA_ID,
            T_ADMEDIA_NAME,
            T_CURRENCY,
            T_VIEW_COUNT,
            T_TPV_COUNT,
            T_CLICK_COUNT,
            T_CLICK_COMMISSION,
            T_LEAD_COUNT,
            T_LEAD_COMMISSION,
            T_SALE_COUNT,
            T_SALE_COMMISSION,
            T_SALE_AMOUNT,
        ),
    )
    return AggregatedReport(
        day=day,
        month=month,
        adspace_id=adspace_id,
        adspace_name=adspace_name,
        user_id=user_id,
        user_name=user_name,
        admedia_id=admedia_id,
        admedia_name=admedia_name,
        currency=currency,
        view_count=view_count,
        tpv_count=tpv_count,
        click_count=click_count,
        click_commission=click_commission,
        lead_count=lead_count,
        lead_commission=lead_commission,
        sale_count=sale_count,
        sale_commission=sale_commission,
        sale_amount=sale_amount,
        unknown=unknown,
    )


def write_aggregated_report(value: AggregatedReport, writer: Writer, path: str) -> Wire:
    expect(value, AggregatedReport, path)
    wire: Wire = {}
    if value.day is not None:
        wire["day"] = write(value.day, f"{path}/day", STRING)
    if value.month is not None:
        wire["month"] = write(value.month, f"{path}/month", STRING)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.adspace_name is not None:
        wire["adspaceName"] = write(value.adspace_name, f"{path}/adspaceName", STRING)
    if value.user_id is not None:
        wire["userId"] = write(value.user_id, f"{path}/userId", INT)
    if value.user_name is not None:
        wire["userName"] = write(value.user_name, f"{path}/userName", STRING)
    if value.admedia_id is not None:
        wire["admediaId"] = write(value.admedia_id, f"{path}/admediaId", INT)
    if value.admedia_name is not None:
        wire["admediaName"] = write(value.admedia_name, f"{path}/admediaName", STRING)
    if value.currency is not None:
        wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.view_count is not None:
        wire["viewCount"] = write(value.view_count, f"{path}/viewCount", LONG)
    if value.tpv_count is not None:
        wire["tpvCount"] = write(value.tpv_count, f"{path}/tpvCount", LONG)
    if value.click_count is not None:
        wire["clickCount"] = write(value.click_count, f"{path}/clickCount", LONG)
    if value.click_commission is not None:
        wire["clickCommission"] = write(value.click_commission, f"{path}/clickCommission", EXACT_DOUBLE)
    if value.lead_count is not None:
        wire["leadCount"] = write(value.lead_count, f"{path}/leadCount", LONG)
    if value.lead_commission is not None:
        wire["leadCommission"] = write(value.lead_commission, f"{path}/leadCommission", EXACT_DOUBLE)
    if value.sale_count is not None:
        wire["saleCount"] = write(value.sale_count, f"{path}/saleCount", LONG)
    if value.sale_commission is not None:
        wire["saleCommission"] = write(value.sale_commission, f"{path}/saleCommission", EXACT_DOUBLE)
    if value.sale_amount is not None:
        wire["saleAmount"] = write(value.sale_amount, f"{path}/saleAmount", EXACT_DOUBLE)
    return wire


def read_get_partnerships_request(node: Node, reader: Reader) -> GetPartnershipsRequest:
    no_attributes(node, reader)
    partner_code: list[str] = []
    for child in node:
        tag = child.tag
        if tag == T_PARTNER_CODE:
            partner_code.append(STRING.read(child, reader))
        else:
            reader.unknown_element(child)
    if not partner_code:
        raise absent(node, "partnerCode")
    return GetPartnershipsRequest(
        partner_code=partner_code,
    )


def write_get_partnerships_request(value: GetPartnershipsRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetPartnershipsRequest, path)
    wire: Wire = {}
    if not value.partner_code:
        raise required(f"{path}/partnerCode")
    wire["partnerCode"] = write_texts(
        value.partner_code, f"{path}/partnerCode", lambda v, p: write(v, p, STRING)
    )
    return wire


def read_get_partnerships_response(node: Node, reader: Reader) -> GetPartnershipsResponse:
    unknown: Kept = {}
    for attribute, raw in node.items():
        reader.unknown_attribute(node, attribute)
        keep_attribute(unknown, attribute, raw)
    partner_code_list: list[Partnership] | None = None
    error_list: list[PartnerCodeError] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PARTNER_CODE_LIST:
            if partner_code_list is not None:
                raise repeated(child)
            partner_code_list = read_list(child, reader, T_PARTNER_CODE, read_partnership)
        elif tag == T_ERROR_LIST:
            if error_list is not None:
                raise repeated(child)
            error_list = read_list(child, reader, T_ERROR, read_partner_code_error)
        else:
            reader.unknown_element(child)
            keep(unknown, child)
    keep_empty(unknown, node, (T_PARTNER_CODE_LIST, T_ERROR_LIST))
    return GetPartnershipsResponse(
        partner_code_list=partner_code_list,
        error_list=error_list,
        unknown=unknown,
    )


def write_get_partnerships_response(value: GetPartnershipsResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetPartnershipsResponse, path)
    wire: Wire = {}
    if value.partner_code_list is not None:
        wire["partnerCodeList"] = {
            "partnerCode": write_list(
                value.partner_code_list, f"{path}/partnerCodeList", writer, write_partnership
            ),
        }
    if value.error_list is not None:
        wire["errorList"] = {
            "error": write_list(value.error_list, f"{path}/errorList", writer, write_partner_code_error)
        }
    return wire


def read_get_public_partnerships_request(node: Node, reader: Reader) -> GetPublicPartnershipsRequest:
    no_attributes(node, reader)
    partner_code: list[str] = []
    for child in node:
        tag = child.tag
        if tag == T_PARTNER_CODE:
            partner_code.append(STRING.read(child, reader))
        else:
            reader.unknown_element(child)
    if not partner_code:
        raise absent(node, "partnerCode")
    return GetPublicPartnershipsRequest(
        partner_code=partner_code,
    )


def write_get_public_partnerships_request(
    value: GetPublicPartnershipsRequest, writer: Writer, path: str
) -> Wire:
    expect(value, GetPublicPartnershipsRequest, path)
    wire: Wire = {}
    if not value.partner_code:
        raise required(f"{path}/partnerCode")
    wire["partnerCode"] = write_texts(
        value.partner_code, f"{path}/partnerCode", lambda v, p: write(v, p, STRING)
    )
    return wire


def read_get_public_partnerships_response(node: Node, reader: Reader) -> GetPublicPartnershipsResponse:
    unknown: Kept = {}
    for attribute, raw in node.items():
        reader.unknown_attribute(node, attribute)
        keep_attribute(unknown, attribute, raw)
    partner_code_list: list[PublicPartnership] | None = None
    error_list: list[PartnerCodeError] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PARTNER_CODE_LIST:
            if partner_code_list is not None:
                raise repeated(child)
            partner_code_list = read_list(child, reader, T_PARTNER_CODE, read_public_partnership)
        elif tag == T_ERROR_LIST:
            if error_list is not None:
                raise repeated(child)
            error_list = read_list(child, reader, T_ERROR, read_partner_code_error)
        else:
            reader.unknown_element(child)
            keep(unknown, child)
    keep_empty(unknown, node, (T_PARTNER_CODE_LIST, T_ERROR_LIST))
    return GetPublicPartnershipsResponse(
        partner_code_list=partner_code_list,
        error_list=error_list,
        unknown=unknown,
    )


def write_get_public_partnerships_response(
    value: GetPublicPartnershipsResponse, writer: Writer, path: str
) -> Wire:
    expect(value, GetPublicPartnershipsResponse, path)
    wire: Wire = {}
    if value.partner_code_list is not None:
        wire["partnerCodeList"] = {
            "partnerCode": write_list(
                value.partner_code_list, f"{path}/partnerCodeList", writer, write_public_partnership
            ),
        }
    if value.error_list is not None:
        wire["errorList"] = {
            "error": write_list(value.error_list, f"{path}/errorList", writer, write_partner_code_error)
        }
    return wire


def read_get_program_report_request(node: Node, reader: Reader) -> GetProgramReportRequest:
    no_attributes(node, reader)
    program_id: int | None = None
    from_date: dt.date | None = None
    to_date: dt.date | None = None
    group_by: list[GroupBy | str] = []
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_FROM_DATE:
            if from_date is not None:
                raise repeated(child)
            from_date = DATE.read(child, reader)
        elif tag == T_TO_DATE:
            if to_date is not None:
                raise repeated(child)
            to_date = DATE.read(child, reader)
        elif tag == T_GROUP_BY:
            group_by.append(C_GROUP_BY.read(child, reader))
        else:
            reader.unknown_element(child)
    if program_id is None:
        raise absent(node, "programId")
    if from_date is None:
        raise absent(node, "fromDate")
    if to_date is None:
        raise absent(node, "toDate")
    return GetProgramReportRequest(
        program_id=program_id,
        from_date=from_date,
        to_date=to_date,
        group_by=group_by,
    )


def write_get_program_report_request(value: GetProgramReportRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetProgramReportRequest, path)
    wire: Wire = {}
    if value.program_id is None:
        raise required(f"{path}/programId")
    wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.from_date is None:
        raise required(f"{path}/fromDate")
    wire["fromDate"] = write(value.from_date, f"{path}/fromDate", DATE)
    if value.to_date is None:
        raise required(f"{path}/toDate")
    wire["toDate"] = write(value.to_date, f"{path}/toDate", DATE)
    if values := write_texts(value.group_by, f"{path}/groupBy", lambda v, p: write_choice(v, p, C_GROUP_BY)):
        wire["groupBy"] = values
    return wire


def read_get_program_report_response(node: Node, reader: Reader) -> GetProgramReportResponse:
    unknown: Kept = {}
    for attribute, raw in node.items():
        reader.unknown_attribute(node, attribute)
        keep_attribute(unknown, attribute, raw)
    aggregated_report_list: list[AggregatedReport] | None = None
    for child in node:
        tag = child.tag
        if tag == T_AGGREGATED_REPORT_LIST:
            if aggregated_report_list is not None:
                raise repeated(child)
            aggregated_report_list = read_list(child, reader, T_AGGREGATED_REPORT, read_aggregated_report)
        else:
            reader.unknown_element(child)
            keep(unknown, child)
    keep_empty(unknown, node, (T_AGGREGATED_REPORT_LIST,))
    return GetProgramReportResponse(
        aggregated_report_list=aggregated_report_list,
        unknown=unknown,
    )


def write_get_program_report_response(value: GetProgramReportResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetProgramReportResponse, path)
    wire: Wire = {}
    if value.aggregated_report_list is not None:
        wire["aggregatedReportList"] = {
            "aggregatedReport": write_list(
                value.aggregated_report_list, f"{path}/aggregatedReportList", writer, write_aggregated_report
            ),
        }
    return wire
